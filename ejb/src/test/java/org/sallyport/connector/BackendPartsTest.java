package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.BackendNames;
import org.sallyport.tool.CallId;

/** The parts that keep a backend's troubles to itself. */
class BackendPartsTest {
    private static CallId call(long number) {
        return new CallId("e", number);
    }

    @Test
    void soManyGoAtOneTimeTheRestInTurnAndNoMoreThanThat() {
        List<Long> begun = new ArrayList<>();
        Bulkhead bulkhead = new Bulkhead(2, 2, Runnable::run);
        for (long i = 1; i <= 5; i++) {
            long number = i;
            assertThat(bulkhead.enter(call(i), () -> begun.add(number))).isEqualTo(i < 5);
        }
        assertThat(begun).containsExactly(1L, 2L);
        assertThat(bulkhead.withdraw(call(3))).isTrue();
        assertThat(bulkhead.withdraw(call(1))).isFalse();
        bulkhead.leave();
        assertThat(begun).containsExactly(1L, 2L, 4L);
        bulkhead.leave();
        bulkhead.leave();
        assertThat(bulkhead.running()).isZero();
        assertThat(bulkhead.waiting()).isZero();
    }

    @Test
    void theBreakerLetsOneThroughAfterThePauseWhichDecides() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        Breaker breaker = new Breaker(2, Duration.ofSeconds(10), now::get);
        breaker.unanswered();
        assertThat(breaker.allows()).isTrue();
        breaker.unanswered();
        assertThat(breaker.allows()).isFalse();
        assertThat(breaker.open()).isTrue();

        now.set(Instant.EPOCH.plusSeconds(10));
        assertThat(breaker.allows()).isTrue();
        assertThat(breaker.allows()).isFalse();
        breaker.unanswered();
        assertThat(breaker.allows()).isFalse();

        now.set(Instant.EPOCH.plusSeconds(20));
        assertThat(breaker.allows()).isTrue();
        breaker.answered();
        assertThat(breaker.open()).isFalse();
        assertThat(breaker.allows()).isTrue();
    }

    @Test
    void toolsGetNamesThatStayApart() {
        assertThat(BackendNames.ofTools(List.of("get user", "get_user", "get-user", "get\u2028user", "", "then")))
                .containsEntry("get_user", "get_user")
                .containsEntry("get-user", "get-user")
                .containsEntry("get user", "get_user_2")
                .containsEntry("get\u2028user", "get_user_3")
                .containsEntry("", "_")
                .containsEntry("then", "then");
        assertThat(BackendNames.ofTools(List.of("x".repeat(10_000)))
                        .values()
                        .iterator()
                        .next())
                .hasSize(128);
    }

    @Test
    void backendsHaveNamesThatMeanTheSameEverywhere() {
        assertThat(List.of("files", "My-Files_2", "a"))
                .allMatch(name -> BackendNames.fault(name).isEmpty());
        assertThat(List.of("", "a.b", "$host", "java", "1a", "a b", "\u0430bc", "x".repeat(64), "a\n"))
                .allMatch(name -> BackendNames.fault(name).isPresent());
        assertThat(BackendNames.sanitised("my files/1")).isEqualTo("my_files_1");
        assertThat(BackendNames.fault(BackendNames.sanitised("\u0430"))).isEmpty();
    }
}
