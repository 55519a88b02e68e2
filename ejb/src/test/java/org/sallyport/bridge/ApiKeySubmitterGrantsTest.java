package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyStore;
import org.sallyport.auth.CachingApiKeyStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.ToolGrants;

class ApiKeySubmitterGrantsTest {
    private static final Duration TTL = Duration.ofSeconds(2);

    private final FlakyApiKeyStore stored = new FlakyApiKeyStore();
    private Instant now = Instant.parse("2026-11-23T12:00:00Z");
    private final CachingApiKeyStore cached = new CachingApiKeyStore(stored, () -> now, TTL);
    private final ApiKeySubmitterGrants held = new ApiKeySubmitterGrants(cached, () -> now, TTL);

    private static ApiKey key(String... grants) {
        return new ApiKey(
                "k1", "t", "n", "h", Set.of(), List.of(grants), Optional.of(Instant.parse("2026-11-23T11:00:00Z")));
    }

    private void assertGrants(String... grants) {
        assertThat(held.grantsFor("k1")).contains(new ToolGrants(List.of(grants)));
    }

    @Test
    void grantsAreCachedAcrossCalls() {
        stored.put(key("demo.*"));
        for (int i = 0; i < 100; i++) {
            assertGrants("demo.*");
            assertThat(held.grantsFor("k2")).isEmpty();
        }
        assertThat(stored.lookups).isEqualTo(2);
    }

    @Test
    void localChangeAppliesAtOnce() {
        cached.put(key("demo.*"));
        assertGrants("demo.*");
        cached.replaceGrants("t", "k1", List.of("demo.clock*"));
        assertGrants("demo.clock*");
        cached.remove("t", "k1");
        assertThat(held.grantsFor("k1")).isEmpty();
    }

    @Test
    void remoteChangeAppliesAfterTheCacheExpires() {
        stored.put(key("demo.*"));
        assertGrants("demo.*");
        stored.replaceGrants("t", "k1", List.of());
        now = now.plus(TTL);
        assertGrants();
        stored.remove("t", "k1");
        now = now.plus(TTL);
        assertThat(held.grantsFor("k1")).isEmpty();
    }

    @Test
    void lastKnownGrantsApplyDuringAStoreOutage() {
        stored.put(key("demo.*"));
        assertGrants("demo.*");
        assertThat(held.grantsFor("k2")).isEmpty();
        now = now.plus(TTL);
        stored.unavailable = true;
        stored.lookups = 0;
        for (int i = 0; i < 100; i++) {
            assertGrants("demo.*");
            assertThat(held.grantsFor("k2")).isEmpty();
        }
        assertThat(stored.lookups).isEqualTo(2);
        assertThatThrownBy(() -> held.grantsFor("k3")).isInstanceOf(StoreUnavailableException.class);
        stored.unavailable = false;
        stored.replaceGrants("t", "k1", List.of("demo.kv*"));
        now = now.plus(TTL);
        assertGrants("demo.kv*");
    }

    @Test
    void externalSubjectsHaveNoGrantRestrictions() {
        stored.unavailable = true;
        assertThat(held.grantsFor("jwt:ada@https://issuer.example")).contains(new ToolGrants(ToolGrants.EVERY_TOOL));
        assertThat(held.grantsFor("cert:dns:ci.example")).contains(new ToolGrants(ToolGrants.EVERY_TOOL));
    }

    private static final class FlakyApiKeyStore implements ApiKeyStore {
        private final Map<String, ApiKey> keys = new HashMap<>();
        private int lookups;
        private boolean unavailable;

        @Override
        public Optional<ApiKey> find(String id) {
            lookups++;
            if (unavailable) {
                throw new StoreUnavailableException("away", new IllegalStateException());
            }
            return Optional.ofNullable(keys.get(id));
        }

        @Override
        public void put(ApiKey key) {
            keys.put(key.id(), key);
        }

        @Override
        public boolean replaceGrants(String tenant, String id, List<String> grants) {
            keys.put(id, key(grants.toArray(String[]::new)));
            return true;
        }

        @Override
        public boolean remove(String tenant, String id) {
            return keys.remove(id) != null;
        }

        @Override
        public List<ApiKey> list(String tenant) {
            return List.copyOf(keys.values());
        }
    }
}
