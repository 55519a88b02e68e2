package org.sallyport.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CachingApiKeyStoreTest {
    private static final Duration MAX_STALENESS = Duration.ofSeconds(5);

    private final Map<String, ApiKey> stored = new HashMap<>();
    private int lookups;
    private Instant now = Instant.parse("2026-06-08T15:00:45Z");
    private final CachingApiKeyStore here =
            new CachingApiKeyStore(new CountingApiKeyStore(), () -> now, CachingApiKeyStore.TTL);
    private final CachingApiKeyStore onAnotherNode =
            new CachingApiKeyStore(new CountingApiKeyStore(), () -> now, CachingApiKeyStore.TTL);

    private static ApiKey key(List<String> grants) {
        return new ApiKey("k1", "acme", "one", "", Set.of(Role.SUBMITTER), grants, Optional.empty());
    }

    @Test
    void revokedKeyIsInvalidAtOnceHereAndSoonElsewhere() {
        here.put(key(List.of("*")));
        assertThat(here.find("k1")).isPresent();
        assertThat(onAnotherNode.find("k1")).isPresent();

        assertThat(here.remove("acme", "k1")).isTrue();

        assertThat(here.find("k1")).isEmpty();
        now = now.plus(MAX_STALENESS);
        assertThat(onAnotherNode.find("k1")).isEmpty();
        now = now.plus(MAX_STALENESS);
        assertThat(onAnotherNode.find("k1")).isEmpty();
    }

    @Test
    void frequentlyUsedKeyStillExpiresFromTheCache() {
        here.put(key(List.of("*")));
        onAnotherNode.find("k1");
        here.remove("acme", "k1");
        Instant end = now.plus(MAX_STALENESS);
        while (now.isBefore(end)) {
            now = now.plusMillis(100);
            onAnotherNode.find("k1");
        }

        assertThat(onAnotherNode.find("k1")).isEmpty();
    }

    @Test
    void changedGrantsApplyAtOnceHereAndSoonElsewhere() {
        here.put(key(List.of("*")));
        here.find("k1");
        onAnotherNode.find("k1");

        here.replaceGrants("acme", "k1", List.of("demo.*"));

        assertThat(here.find("k1").orElseThrow().grants()).containsExactly("demo.*");
        now = now.plus(MAX_STALENESS);
        assertThat(onAnotherNode.find("k1").orElseThrow().grants()).containsExactly("demo.*");
    }

    @Test
    void cachedKeyNeedsOneLookup() {
        here.put(key(List.of("*")));
        for (int i = 0; i < 100; i++) {
            assertThat(here.find("k1")).isPresent();
        }
        assertThat(lookups).isEqualTo(1);
        // Unknown keys are not cached, because a key with that id may be created at any moment.
        here.find("none");
        here.find("none");
        assertThat(lookups).isEqualTo(3);
    }

    private final class CountingApiKeyStore implements ApiKeyStore {
        @Override
        public Optional<ApiKey> find(String id) {
            lookups++;
            return Optional.ofNullable(stored.get(id));
        }

        @Override
        public void put(ApiKey key) {
            stored.put(key.id(), key);
        }

        @Override
        public boolean replaceGrants(String tenant, String id, List<String> grants) {
            return stored.replace(id, key(grants)) != null;
        }

        @Override
        public boolean remove(String tenant, String id) {
            return stored.remove(id) != null;
        }

        @Override
        public List<ApiKey> list(String tenant) {
            return List.copyOf(stored.values());
        }
    }
}
