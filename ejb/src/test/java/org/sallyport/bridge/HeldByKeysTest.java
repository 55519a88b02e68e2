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
import org.sallyport.access.ApiKey;
import org.sallyport.access.ApiKeyStore;
import org.sallyport.access.CachedApiKeys;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.Grants;

class HeldByKeysTest {
    private static final Duration SHORT = Duration.ofSeconds(2);

    private final Stored stored = new Stored();
    private Instant now = Instant.parse("2026-11-23T12:00:00Z");
    private final CachedApiKeys cached = new CachedApiKeys(stored, () -> now, SHORT);
    private final HeldByKeys held = new HeldByKeys(cached, () -> now, SHORT);

    private static ApiKey key(String... grants) {
        return new ApiKey(
                "k1", "t", "n", "h", Set.of(), List.of(grants), Optional.of(Instant.parse("2026-11-23T11:00:00Z")));
    }

    private void holds(String... grants) {
        assertThat(held.of("k1")).contains(new Grants(List.of(grants)));
    }

    @Test
    void callsCostNoQueryEach() {
        stored.put(key("demo.*"));
        for (int i = 0; i < 100; i++) {
            holds("demo.*");
            assertThat(held.of("k2")).isEmpty();
        }
        assertThat(stored.asked).isEqualTo(2);
    }

    @Test
    void whatIsTakenHereHoldsAtOnce() {
        cached.put(key("demo.*"));
        holds("demo.*");
        cached.grant("t", "k1", List.of("demo.clock*"));
        holds("demo.clock*");
        cached.remove("t", "k1");
        assertThat(held.of("k1")).isEmpty();
    }

    @Test
    void whatIsTakenElsewhereHoldsAfterAMoment() {
        stored.put(key("demo.*"));
        holds("demo.*");
        stored.grant("t", "k1", List.of());
        now = now.plus(SHORT);
        holds();
        stored.remove("t", "k1");
        now = now.plus(SHORT);
        assertThat(held.of("k1")).isEmpty();
    }

    @Test
    void whileTheStoreIsAwayTheLastThatWasHeardHolds() {
        stored.put(key("demo.*"));
        holds("demo.*");
        assertThat(held.of("k2")).isEmpty();
        now = now.plus(SHORT);
        stored.away = true;
        stored.asked = 0;
        for (int i = 0; i < 100; i++) {
            holds("demo.*");
            assertThat(held.of("k2")).isEmpty();
        }
        assertThat(stored.asked).isEqualTo(2);
        assertThatThrownBy(() -> held.of("k3")).isInstanceOf(StoreUnavailableException.class);
        stored.away = false;
        stored.grant("t", "k1", List.of("demo.kv*"));
        now = now.plus(SHORT);
        holds("demo.kv*");
    }

    @Test
    void subjectsHaveNoGrantsOfTheirOwn() {
        stored.away = true;
        assertThat(held.of("jwt:ada@https://issuer.example")).contains(new Grants(Grants.EVERY_TOOL));
        assertThat(held.of("cert:dns:ci.example")).contains(new Grants(Grants.EVERY_TOOL));
    }

    private static final class Stored implements ApiKeyStore {
        private final Map<String, ApiKey> keys = new HashMap<>();
        private int asked;
        private boolean away;

        @Override
        public Optional<ApiKey> find(String id) {
            asked++;
            if (away) {
                throw new StoreUnavailableException("away", new IllegalStateException());
            }
            return Optional.ofNullable(keys.get(id));
        }

        @Override
        public void put(ApiKey key) {
            keys.put(key.id(), key);
        }

        @Override
        public boolean grant(String tenant, String id, List<String> grants) {
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
