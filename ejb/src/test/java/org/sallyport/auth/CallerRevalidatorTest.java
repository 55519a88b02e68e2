package org.sallyport.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CallerRevalidatorTest {
    private static final ExternalSubject ALICE = new ExternalSubject("https://id.example", "alice");

    private Instant now = Instant.parse("2026-06-08T15:00:45Z");
    private final InstantSource clock = () -> now;
    private final Map<String, ApiKey> stored = new HashMap<>();
    private final List<BlockedSubject> blockedOnes = new ArrayList<>();
    private final ApiKeyService keys = new ApiKeyService(new MapBackedApiKeyStore(), clock, new SecureRandom());
    private final BlockedSubjectCache blocked = new BlockedSubjectCache(
            new ListBackedBlockedSubjectStore(), UUID::randomUUID, clock, Duration.ofSeconds(2));
    private final CallerRevalidator standing = new CallerRevalidator(keys, blocked, clock);

    private Caller bearer(Instant end) {
        return Caller.of(ALICE, end, "acme", Set.of(Role.SUBMITTER));
    }

    @Test
    void keyIsValidUntilItIsDeleted() {
        ApiKeyService.IssuedApiKey issued = keys.issue("acme", "x", Set.of(), Optional.empty());
        Caller caller = new Caller(issued.key().id(), "acme", Set.of());
        assertThat(standing.isStillValid(caller)).isTrue();
        stored.clear();
        assertThat(standing.isStillValid(caller)).isFalse();
    }

    @Test
    void tokenIsValidUntilItExpires() {
        Caller caller = bearer(now.plusSeconds(60));
        assertThat(standing.isStillValid(caller)).isTrue();
        now = now.plusSeconds(60);
        assertThat(standing.isStillValid(caller)).isFalse();
    }

    @Test
    void tokenIsValidUntilItsSubjectIsBlockedOnAnyNode() {
        Caller caller = bearer(now.plusSeconds(60));
        assertThat(standing.isStillValid(caller)).isTrue();
        blockedOnes.add(new BlockedSubject(UUID.randomUUID(), "acme", ALICE, "", "k1", now));
        now = now.plusSeconds(2);
        assertThat(standing.isStillValid(caller)).isFalse();
    }

    private final class MapBackedApiKeyStore implements ApiKeyStore {
        @Override
        public Optional<ApiKey> find(String id) {
            return Optional.ofNullable(stored.get(id));
        }

        @Override
        public void put(ApiKey key) {
            stored.put(key.id(), key);
        }

        @Override
        public boolean replaceGrants(String tenant, String id, List<String> grants) {
            throw new UnsupportedOperationException();
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

    private final class ListBackedBlockedSubjectStore implements BlockedSubjectStore {
        @Override
        public BlockedSubject add(BlockedSubject entry) {
            blockedOnes.add(entry);
            return entry;
        }

        @Override
        public boolean contains(String tenant, ExternalSubject subject) {
            return blockedOnes.stream()
                    .anyMatch(each ->
                            each.tenant().equals(tenant) && each.subject().equals(subject));
        }

        @Override
        public Optional<BlockedSubject> remove(String tenant, UUID id) {
            return Optional.empty();
        }

        @Override
        public List<BlockedSubject> list(String tenant, Optional<UUID> before, int limit) {
            return List.copyOf(blockedOnes);
        }
    }
}
