package org.sallyport.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.access.SessionStore.Person;
import org.sallyport.access.SessionStore.Stored;

/** What every store of sessions must do. Each test finds the store empty. */
public abstract class SessionStoreContract {
    private static final Instant END = Instant.parse("2026-10-25T00:30:00.5Z");

    protected abstract SessionStore sessions();

    @Test
    void sessionIsFoundAsItWasAdded() {
        Stored session = new Stored("ab".repeat(32), "k1", END);
        sessions().add(session);

        assertThat(sessions().find(session.hash())).contains(session);
        assertThat(sessions().find("cd".repeat(32))).isEmpty();
    }

    @Test
    void whoLoggedInIsFoundAsHeWas() {
        Subject subject = new Subject("https://id.example", "7f0c");
        Set<Role> roles = Set.of(Role.SUBMITTER, Role.AUDITOR);
        for (String name : List.of("Ada", "", "<b>\u0000\ud800\u202e", "x".repeat(200))) {
            for (Set<Role> each : List.of(roles, Set.<Role>of())) {
                Person person = new Person(subject, "acme", each, name);
                Stored session =
                        new Stored("h" + each.size() + name.length(), subject.callerId(), END, Optional.of(person));
                sessions().add(session);

                assertThat(sessions().find(session.hash())).contains(session);
            }
        }
    }

    @Test
    void removedSessionIsGoneAndNoOther() {
        sessions().add(new Stored("a", "k1", END));
        sessions().add(new Stored("b", "k1", END));
        sessions().remove("a");
        sessions().remove("a");

        assertThat(sessions().find("a")).isEmpty();
        assertThat(sessions().find("b")).isPresent();
    }

    @Test
    void ofAKeyTheLastOnesAreKept() {
        for (int i = 0; i < 5; i++) {
            sessions().add(new Stored("s" + i, "k1", END.plusSeconds(i)));
        }
        sessions().add(new Stored("other", "k2", END.minusSeconds(9)));

        sessions().keep("k1", 2);
        sessions().keep("k3", 2);

        assertThat(sessions().find("s2")).isEmpty();
        assertThat(sessions().find("s3")).isPresent();
        assertThat(sessions().find("s4")).isPresent();
        assertThat(sessions().find("other")).isPresent();
    }

    @Test
    void whatHasEndedIsForgotten() {
        sessions().add(new Stored("a", "k1", END.minusMillis(1)));
        sessions().add(new Stored("b", "k1", END));

        assertThat(sessions().removeExpired(END)).isEqualTo(1);
        assertThat(sessions().find("a")).isEmpty();
        assertThat(sessions().find("b")).isPresent();
    }
}
