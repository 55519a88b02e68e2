package org.sallyport.access;

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

class SessionsTest {
    private Instant now = Instant.parse("2026-06-08T15:00:45Z");
    private final InstantSource clock = () -> now;
    private boolean letIn = true;
    private final Map<String, ApiKey> stored = new HashMap<>();
    private final Map<String, SessionStore.Stored> kept = new HashMap<>();
    private final Keys keys = new Keys(new KeysInMemory(), clock, new SecureRandom());
    private final Sessions sessions = new Sessions(
            new SessionsInMemory(),
            keys,
            caller -> letIn
                    && clock.instant().isBefore(caller.token().orElseThrow().end()),
            clock,
            new SecureRandom());

    private Keys.Issued issue(Optional<Instant> end) {
        return keys.issue("acme", "Ada", Set.of(Role.SUBMITTER), end);
    }

    private Sessions.Opened opened(Keys.Issued issued) {
        return sessions.open(issued.secret()).orElseThrow();
    }

    @Test
    void sessionActsAsTheKeyItWasOpenedWith() {
        Keys.Issued issued = issue(Optional.empty());
        Sessions.Opened opened = opened(issued);
        Sessions.Session found = sessions.find(opened.token()).orElseThrow();

        assertThat(found).isEqualTo(opened.session());
        assertThat(found.caller()).isEqualTo(new Caller(issued.key().id(), "acme", Set.of(Role.SUBMITTER)));
        assertThat(opened.token()).hasSize(43);
    }

    @Test
    void whatTheBrowserHoldsIsNotStored() {
        Sessions.Opened opened = opened(issue(Optional.empty()));

        assertThat(kept.values().toString())
                .doesNotContain(opened.token(), opened.session().guard());
        assertThat(opened.session().guard()).doesNotContain(opened.token());
    }

    @Test
    void wrongKeyOpensNothing() {
        assertThat(sessions.open(issue(Optional.empty()).secret() + "x")).isEmpty();
        assertThat(sessions.open("")).isEmpty();
        assertThat(kept).isEmpty();
    }

    @Test
    void tokenThatIsNoneIsNobody() {
        opened(issue(Optional.empty()));

        assertThat(sessions.find("")).isEmpty();
        assertThat(sessions.find("x".repeat(43))).isEmpty();
        assertThat(sessions.find("../" + "x".repeat(40))).isEmpty();
    }

    @Test
    void deletedKeyEndsItsSessionsAtOnce() {
        Keys.Issued issued = issue(Optional.empty());
        Sessions.Opened opened = opened(issued);
        keys.revoke("acme", issued.key().id());

        assertThat(sessions.find(opened.token())).isEmpty();
    }

    @Test
    void sessionEndsWithItsKeyAndAtTheLatestAfterItsTime() {
        Sessions.Opened short1 = opened(issue(Optional.of(now.plusSeconds(60))));
        Sessions.Opened long1 = opened(issue(Optional.empty()));
        now = now.plusSeconds(60);
        assertThat(sessions.find(short1.token())).isEmpty();
        assertThat(sessions.find(long1.token())).isPresent();
        now = now.plus(Sessions.LONGEST).minus(Duration.ofSeconds(60));
        assertThat(sessions.find(long1.token())).isEmpty();
    }

    @Test
    void closedSessionIsOverAndOthersAreNot() {
        Keys.Issued issued = issue(Optional.empty());
        Sessions.Opened one = opened(issued);
        Sessions.Opened other = opened(issued);
        sessions.close(one.token());

        assertThat(sessions.find(one.token())).isEmpty();
        assertThat(sessions.find(other.token())).isPresent();
    }

    @Test
    void oneKeyHasNoMoreThanItMayAndTheOldestGivesWay() {
        Keys.Issued issued = issue(Optional.empty());
        Sessions.Opened other = opened(issue(Optional.empty()));
        Sessions.Opened first = opened(issued);
        now = now.plusSeconds(1);
        Sessions.Opened second = opened(issued);
        for (int i = 2; i <= Sessions.OF_KEY; i++) {
            now = now.plusSeconds(1);
            opened(issued);
        }

        assertThat(kept).hasSize(Sessions.OF_KEY + 1);
        assertThat(sessions.find(first.token())).isEmpty();
        assertThat(sessions.find(second.token())).isPresent();
        assertThat(sessions.find(other.token())).isPresent();
    }

    private Caller ada(Duration lasting) {
        return Caller.of(new Subject("https://id.example", "ada"), now.plus(lasting), "acme", Set.of(Role.APPROVER));
    }

    @Test
    void whoLoggedInElsewhereActsAsHisTokenSaid() {
        Sessions.Opened opened =
                sessions.open(ada(Duration.ofMinutes(5)), "Ada <b>").orElseThrow();
        Sessions.Session found = sessions.find(opened.token()).orElseThrow();

        assertThat(found).isEqualTo(opened.session());
        assertThat(found.caller()).isEqualTo(ada(Duration.ofMinutes(5)));
        assertThat(found.name()).isEqualTo("Ada <b>");
        assertThat(kept.values().toString()).doesNotContain(opened.token());
    }

    @Test
    void whatATokenOpenedEndsWithItAndAtTheLatestAfterItsTime() {
        Sessions.Opened short1 = sessions.open(ada(Duration.ofMinutes(5)), "").orElseThrow();
        Sessions.Opened long1 = sessions.open(ada(Duration.ofDays(5)), "").orElseThrow();
        assertThat(long1.session().expiresAt()).isEqualTo(now.plus(Sessions.LONGEST));
        assertThat(long1.session().caller().token().orElseThrow().end()).isEqualTo(now.plus(Sessions.LONGEST));
        now = now.plus(Duration.ofMinutes(5));

        assertThat(sessions.find(short1.token())).isEmpty();
        assertThat(sessions.find(long1.token())).isPresent();
    }

    @Test
    void aSessionThatEndsBeforeAllOthersIsKeptWhenItIsOpened() {
        for (int i = 0; i < Sessions.OF_KEY; i++) {
            assertThat(sessions.open(ada(Duration.ofMinutes(5)), "")).isPresent();
        }
        Sessions.Opened brief = sessions.open(ada(Duration.ofMinutes(1)), "").orElseThrow();

        assertThat(kept).hasSize(Sessions.OF_KEY);
        assertThat(sessions.find(brief.token())).isPresent();
    }

    @Test
    void whoIsNotLetInAnyLongerHasNoSession() {
        Sessions.Opened opened = sessions.open(ada(Duration.ofMinutes(5)), "").orElseThrow();
        letIn = false;

        assertThat(sessions.find(opened.token())).isEmpty();
        assertThat(sessions.open(ada(Duration.ofMinutes(5)), "")).isEmpty();
        assertThat(sessions.open(issue(Optional.empty()).secret())).isPresent();
    }

    @Test
    void guardFitsItsOwnSessionOnly() {
        Keys.Issued issued = issue(Optional.empty());
        Sessions.Session one = opened(issued).session();
        Sessions.Session other = opened(issued).session();

        assertThat(one.guardedBy(one.guard())).isTrue();
        assertThat(one.guardedBy(other.guard())).isFalse();
        assertThat(one.guardedBy("")).isFalse();
    }

    @Test
    void whatIsOverIsForgottenWhenTheNextIsOpened() {
        opened(issue(Optional.empty()));
        now = now.plus(Sessions.LONGEST).plusSeconds(1);
        opened(issue(Optional.empty()));

        assertThat(kept).hasSize(1);
    }

    private final class KeysInMemory implements ApiKeyStore {
        @Override
        public Optional<ApiKey> find(String id) {
            return Optional.ofNullable(stored.get(id));
        }

        @Override
        public void put(ApiKey key) {
            stored.put(key.id(), key);
        }

        @Override
        public boolean grant(String tenant, String id, List<String> grants) {
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

    private final class SessionsInMemory implements SessionStore {
        @Override
        public void add(Stored session, int most) {
            kept.values().stream()
                    .filter(own -> own.keyId().equals(session.keyId()))
                    .sorted(Comparator.comparing(Stored::expiresAt).reversed())
                    .skip(most - 1L)
                    .toList()
                    .forEach(tooMany -> kept.remove(tooMany.hash()));
            kept.put(session.hash(), session);
        }

        @Override
        public Optional<Stored> find(String hash) {
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
