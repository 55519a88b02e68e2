package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.BackendNameRules;
import org.sallyport.tool.CallId;

/** The components that isolate the failures of a backend from other backends. */
class BackendIsolationTest {
    private static CallId call(long number) {
        return new CallId("e", number);
    }

    @Test
    void bulkheadLimitsRunningAndQueuedCalls() {
        List<Long> begun = new ArrayList<>();
        Bulkhead bulkhead = new Bulkhead(2, 2, Runnable::run);
        for (long i = 1; i <= 5; i++) {
            long number = i;
            assertThat(bulkhead.tryEnter(call(i), () -> begun.add(number), () -> {}))
                    .isEqualTo(i < 5);
        }
        assertThat(begun).containsExactly(1L, 2L);
        assertThat(bulkhead.removeQueued(call(3))).isTrue();
        assertThat(bulkhead.removeQueued(call(1))).isFalse();
        bulkhead.release();
        assertThat(begun).containsExactly(1L, 2L, 4L);
        bulkhead.release();
        bulkhead.release();
        assertThat(bulkhead.running()).isZero();
        assertThat(bulkhead.waiting()).isZero();
    }

    @Test
    void breakerAdmitsOneTrialCallAfterThePause() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        CircuitBreaker breaker = new CircuitBreaker(2, Duration.ofSeconds(10), now::get);
        breaker.recordFailure("gone");
        assertThat(breaker.tryAcquirePermission()).isTrue();
        breaker.recordFailure("gone");
        assertThat(breaker.tryAcquirePermission()).isFalse();
        assertThat(breaker.isOpen()).isTrue();
        assertThat(breaker.snapshot())
                .isEqualTo(new CircuitBreakerSnapshot(
                        CircuitBreakerSnapshot.CircuitBreakerState.OPEN,
                        Optional.of(Instant.EPOCH),
                        Optional.of(Instant.EPOCH.plusSeconds(10)),
                        Optional.of("gone")));

        now.set(Instant.EPOCH.plusSeconds(10));
        assertThat(breaker.snapshot().state()).isEqualTo(CircuitBreakerSnapshot.CircuitBreakerState.PROBING);
        assertThat(breaker.tryAcquirePermission()).isTrue();
        assertThat(breaker.tryAcquirePermission()).isFalse();
        breaker.recordFailure("gone");
        assertThat(breaker.tryAcquirePermission()).isFalse();
        assertThat(breaker.snapshot().openedAt())
                .as("it was never closed since")
                .contains(Instant.EPOCH);
        assertThat(breaker.snapshot().nextProbeAt()).contains(Instant.EPOCH.plusSeconds(20));

        now.set(Instant.EPOCH.plusSeconds(20));
        assertThat(breaker.tryAcquirePermission()).isTrue();
        breaker.recordSuccess();
        assertThat(breaker.isOpen()).isFalse();
        assertThat(breaker.snapshot())
                .isEqualTo(new CircuitBreakerSnapshot(
                        CircuitBreakerSnapshot.CircuitBreakerState.CLOSED,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of("gone")));
        assertThat(breaker.tryAcquirePermission()).isTrue();
    }

    @Test
    void backendNamesAreRestrictedToSafeIdentifiers() {
        assertThat(List.of("files", "My-Files_2", "a"))
                .allMatch(name -> BackendNameRules.validationError(name).isEmpty());
        assertThat(List.of("", "a.b", "$host", "java", "1a", "a b", "\u0430bc", "x".repeat(64), "a\n"))
                .allMatch(name -> BackendNameRules.validationError(name).isPresent());
        assertThat(BackendNameRules.sanitize("my files/1")).isEqualTo("my_files_1");
        assertThat(BackendNameRules.validationError(BackendNameRules.sanitize("\u0430")))
                .isEmpty();
    }
}
