package org.sallyport.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.ConsoleSessionStore.ExternalLogin;
import org.sallyport.auth.ConsoleSessionStore.StoredSession;
import org.sallyport.execution.ConcurrencyTestUtil;

/** Contract of {@link ConsoleSessionStore}, for every implementation. Each test starts with an empty store. */
public abstract class ConsoleSessionStoreContract {
    private static final Instant END = Instant.parse("2026-10-25T00:30:00.5Z");

    protected abstract ConsoleSessionStore sessions();

    @Test
    void sessionIsFoundAsAdded() {
        StoredSession session = new StoredSession("ab".repeat(32), "k1", END);
        add(session);

        assertThat(sessions().find(session.hash())).contains(session);
        assertThat(sessions().find("cd".repeat(32))).isEmpty();
    }

    @Test
    void externalLoginIsFoundAsAdded() {
        ExternalSubject subject = new ExternalSubject("https://id.example", "7f0c");
        Set<Role> roles = Set.of(Role.SUBMITTER, Role.AUDITOR);
        for (String name : List.of("Ada", "", "<b>\u0000\ud800\u202e", "x".repeat(200))) {
            for (Set<Role> each : List.of(roles, Set.<Role>of())) {
                ExternalLogin person = new ExternalLogin(subject, "acme", each, name);
                StoredSession session = new StoredSession(
                        "h" + each.size() + name.length(), subject.callerId(), END, Optional.of(person));
                add(session);

                assertThat(sessions().find(session.hash())).contains(session);
            }
        }
    }

    @Test
    void removeDeletesOnlyTheGivenSession() {
        add(new StoredSession("a", "k1", END));
        add(new StoredSession("b", "k1", END));
        sessions().remove("a");
        sessions().remove("a");

        assertThat(sessions().find("a")).isEmpty();
        assertThat(sessions().find("b")).isPresent();
    }

    @Test
    void addKeepsTheNewSessionAndTheLastToExpire() {
        add(new StoredSession("other", "k2", END.minusSeconds(9)));
        for (int i = 0; i < 5; i++) {
            add(new StoredSession("s" + i, "k1", END.plusSeconds(i)));
        }

        sessions().add(new StoredSession("soon", "k1", END.minusSeconds(1)), 3);

        assertThat(present("soon", "s0", "s1", "s2", "s3", "s4", "other")).containsExactly("soon", "s3", "s4", "other");
    }

    @Test
    void concurrentAddsStayWithinTheLimit() throws Exception {
        int maxSessions = 3;
        for (int i = 0; i < maxSessions; i++) {
            add(new StoredSession("s" + i, "k1", END.plusSeconds(i)));
        }

        ConcurrencyTestUtil.runConcurrently(2, number -> {
            sessions().add(new StoredSession("new" + number, "k1", END.plusSeconds(9)), maxSessions);
            return number;
        });

        assertThat(present("s0", "s1", "s2", "new0", "new1")).containsExactly("s2", "new0", "new1");
    }

    @Test
    void failedAddRemovesNoSession() {
        add(new StoredSession("first", "k1", END));
        StoredSession last = new StoredSession("last", "k1", END.plusSeconds(1));
        add(last);

        assertThatThrownBy(() -> sessions().add(last, 2)).isNotNull();

        assertThat(present("first", "last")).containsExactly("first", "last");
    }

    private void add(StoredSession session) {
        sessions().add(session, 20);
    }

    private List<String> present(String... hashes) {
        return Stream.of(hashes)
                .filter(hash -> sessions().find(hash).isPresent())
                .toList();
    }

    @Test
    void expiredSessionsAreRemoved() {
        add(new StoredSession("a", "k1", END.minusMillis(1)));
        add(new StoredSession("b", "k1", END));

        assertThat(sessions().removeExpired(END)).isEqualTo(1);
        assertThat(sessions().find("a")).isEmpty();
        assertThat(sessions().find("b")).isPresent();
    }
}
