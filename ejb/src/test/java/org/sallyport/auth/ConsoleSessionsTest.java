package org.sallyport.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConsoleSessionsTest {
    private Instant now = Instant.parse("2026-06-08T15:00:45Z");
    private final InstantSource clock = () -> now;
    private boolean loginAllowed = true;
    private final Map<String, ApiKey> stored = new HashMap<>();
    private final Map<String, ConsoleSessionStore.StoredSession> kept = new HashMap<>();
    private final ApiKeyService keys = new ApiKeyService(new InMemoryApiKeyStore(), clock, new SecureRandom());
    private final ConsoleSessions sessions = new ConsoleSessions(
            new InMemoryConsoleSessionStore(),
            keys,
            caller -> loginAllowed
                    && clock.instant().isBefore(caller.token().orElseThrow().expiresAt()),
            clock,
            new SecureRandom());

    private ApiKeyService.IssuedApiKey issue(Optional<Instant> end) {
        return keys.issue("acme", "Ada", Set.of(Role.SUBMITTER), end);
    }

    private ConsoleSessions.OpenedSession opened(ApiKeyService.IssuedApiKey issued) {
        return sessions.open(issued.secret()).orElseThrow();
    }

    @Test
    void sessionActsAsItsKey() {
        ApiKeyService.IssuedApiKey issued = issue(Optional.empty());
        ConsoleSessions.OpenedSession opened = opened(issued);
        ConsoleSessions.ConsoleSession found = sessions.find(opened.token()).orElseThrow();

        assertThat(found).isEqualTo(opened.session());
        assertThat(found.caller()).isEqualTo(new Caller(issued.key().id(), "acme", Set.of(Role.SUBMITTER)));
        assertThat(opened.token()).hasSize(43);
    }

    @Test
    void browserTokensAreNotStored() {
        ConsoleSessions.OpenedSession opened = opened(issue(Optional.empty()));

        assertThat(kept.values().toString())
                .doesNotContain(opened.token(), opened.session().csrfToken());
        assertThat(opened.session().csrfToken()).doesNotContain(opened.token());
    }

    @Test
    void wrongKeyOpensNoSession() {
        assertThat(sessions.open(issue(Optional.empty()).secret() + "x")).isEmpty();
        assertThat(sessions.open("")).isEmpty();
        assertThat(kept).isEmpty();
    }

    @Test
    void invalidTokenHasNoSession() {
        opened(issue(Optional.empty()));

        assertThat(sessions.find("")).isEmpty();
        assertThat(sessions.find("x".repeat(43))).isEmpty();
        assertThat(sessions.find("../" + "x".repeat(40))).isEmpty();
    }

    @Test
    void deletedKeyEndsItsSessionsAtOnce() {
        ApiKeyService.IssuedApiKey issued = issue(Optional.empty());
        ConsoleSessions.OpenedSession opened = opened(issued);
        keys.revoke("acme", issued.key().id());

        assertThat(sessions.find(opened.token())).isEmpty();
    }

    @Test
    void sessionEndsWithItsKeyOrAfterTheMaximumLifetime() {
        ConsoleSessions.OpenedSession short1 = opened(issue(Optional.of(now.plusSeconds(60))));
        ConsoleSessions.OpenedSession long1 = opened(issue(Optional.empty()));
        now = now.plusSeconds(60);
        assertThat(sessions.find(short1.token())).isEmpty();
        assertThat(sessions.find(long1.token())).isPresent();
        now = now.plus(ConsoleSessions.MAX_LIFETIME).minus(Duration.ofSeconds(60));
        assertThat(sessions.find(long1.token())).isEmpty();
    }

    @Test
    void closeEndsOnlyTheGivenSession() {
        ApiKeyService.IssuedApiKey issued = issue(Optional.empty());
        ConsoleSessions.OpenedSession one = opened(issued);
        ConsoleSessions.OpenedSession other = opened(issued);
        sessions.close(one.token());

        assertThat(sessions.find(one.token())).isEmpty();
        assertThat(sessions.find(other.token())).isPresent();
    }

    @Test
    void newSessionEvictsTheOldestOfItsKeyAtTheLimit() {
        ApiKeyService.IssuedApiKey issued = issue(Optional.empty());
        ConsoleSessions.OpenedSession other = opened(issue(Optional.empty()));
        ConsoleSessions.OpenedSession first = opened(issued);
        now = now.plusSeconds(1);
        ConsoleSessions.OpenedSession second = opened(issued);
        for (int i = 2; i <= ConsoleSessions.MAX_PER_CALLER; i++) {
            now = now.plusSeconds(1);
            opened(issued);
        }

        assertThat(kept).hasSize(ConsoleSessions.MAX_PER_CALLER + 1);
        assertThat(sessions.find(first.token())).isEmpty();
        assertThat(sessions.find(second.token())).isPresent();
        assertThat(sessions.find(other.token())).isPresent();
    }

    private Caller ada(Duration lasting) {
        return Caller.of(
                new ExternalSubject("https://id.example", "ada"), now.plus(lasting), "acme", Set.of(Role.APPROVER));
    }

    @Test
    void externalLoginSessionActsAsItsToken() {
        ConsoleSessions.OpenedSession opened =
                sessions.open(ada(Duration.ofMinutes(5)), "Ada <b>").orElseThrow();
        ConsoleSessions.ConsoleSession found = sessions.find(opened.token()).orElseThrow();

        assertThat(found).isEqualTo(opened.session());
        assertThat(found.caller()).isEqualTo(ada(Duration.ofMinutes(5)));
        assertThat(found.displayName()).isEqualTo("Ada <b>");
        assertThat(kept.values().toString()).doesNotContain(opened.token());
    }

    @Test
    void sessionEndsWithItsTokenOrAfterTheMaximumLifetime() {
        ConsoleSessions.OpenedSession short1 =
                sessions.open(ada(Duration.ofMinutes(5)), "").orElseThrow();
        ConsoleSessions.OpenedSession long1 =
                sessions.open(ada(Duration.ofDays(5)), "").orElseThrow();
        assertThat(long1.session().expiresAt()).isEqualTo(now.plus(ConsoleSessions.MAX_LIFETIME));
        assertThat(long1.session().caller().token().orElseThrow().expiresAt())
                .isEqualTo(now.plus(ConsoleSessions.MAX_LIFETIME));
        now = now.plus(Duration.ofMinutes(5));

        assertThat(sessions.find(short1.token())).isEmpty();
        assertThat(sessions.find(long1.token())).isPresent();
    }

    @Test
    void newSessionIsKeptEvenIfItExpiresFirst() {
        for (int i = 0; i < ConsoleSessions.MAX_PER_CALLER; i++) {
            assertThat(sessions.open(ada(Duration.ofMinutes(5)), "")).isPresent();
        }
        ConsoleSessions.OpenedSession brief =
                sessions.open(ada(Duration.ofMinutes(1)), "").orElseThrow();

        assertThat(kept).hasSize(ConsoleSessions.MAX_PER_CALLER);
        assertThat(sessions.find(brief.token())).isPresent();
    }

    @Test
    void disallowedExternalLoginHasNoSession() {
        ConsoleSessions.OpenedSession opened =
                sessions.open(ada(Duration.ofMinutes(5)), "").orElseThrow();
        loginAllowed = false;

        assertThat(sessions.find(opened.token())).isEmpty();
        assertThat(sessions.open(ada(Duration.ofMinutes(5)), "")).isEmpty();
        assertThat(sessions.open(issue(Optional.empty()).secret())).isPresent();
    }

    @Test
    void csrfTokenMatchesOnlyItsSession() {
        ApiKeyService.IssuedApiKey issued = issue(Optional.empty());
        ConsoleSessions.ConsoleSession one = opened(issued).session();
        ConsoleSessions.ConsoleSession other = opened(issued).session();

        assertThat(one.matchesCsrfToken(one.csrfToken())).isTrue();
        assertThat(one.matchesCsrfToken(other.csrfToken())).isFalse();
        assertThat(one.matchesCsrfToken("")).isFalse();
    }

    @Test
    void openingASessionRemovesExpiredOnes() {
        opened(issue(Optional.empty()));
        now = now.plus(ConsoleSessions.MAX_LIFETIME).plusSeconds(1);
        opened(issue(Optional.empty()));

        assertThat(kept).hasSize(1);
    }

    private final class InMemoryApiKeyStore implements ApiKeyStore {
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

    private final class InMemoryConsoleSessionStore implements ConsoleSessionStore {
        @Override
        public void add(StoredSession session, int maxSessions) {
            kept.values().stream()
                    .filter(own -> own.callerId().equals(session.callerId()))
                    .sorted(Comparator.comparing(StoredSession::expiresAt).reversed())
                    .skip(maxSessions - 1L)
                    .toList()
                    .forEach(tooMany -> kept.remove(tooMany.hash()));
            kept.put(session.hash(), session);
        }

        @Override
        public Optional<StoredSession> find(String hash) {
            return Optional.ofNullable(kept.get(hash));
        }

        @Override
        public void remove(String hash) {
            kept.remove(hash);
        }

        @Override
        public int removeExpired(Instant end) {
            int before = kept.size();
            kept.values().removeIf(session -> session.expiresAt().isBefore(end));
            return before - kept.size();
        }
    }
}
