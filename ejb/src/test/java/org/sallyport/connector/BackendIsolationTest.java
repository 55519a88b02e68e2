package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
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
            assertThat(bulkhead.tryEnter(call(i), () -> begun.add(number))).isEqualTo(i < 5);
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
    void toolsGetDistinctNames() {
        assertThat(BackendNameRules.toolNames(List.of("get user", "get_user", "get-user", "get\u2028user", "", "then")))
                .containsEntry("get_user", "get_user")
                .containsEntry("get-user", "get-user")
                .containsEntry("get user", "get_user_2")
                .containsEntry("get\u2028user", "get_user_3")
                .containsEntry("", "_")
                .containsEntry("then", "then");
        assertThat(BackendNameRules.toolNames(List.of("x".repeat(10_000)))
                        .values()
                        .iterator()
                        .next())
                .hasSize(128);
    }

    @Test
    void lookAlikeToolNamesStayDistinct() {
        // Names that differ only in case: scripts, grants and the catalog distinguish them.
        assertThat(BackendNameRules.toolNames(List.of("Read", "read", "READ", "reaD")))
                .containsOnly(
                        entry("Read", "Read"), entry("read", "read"), entry("READ", "READ"), entry("reaD", "reaD"));
        // The same letter composed and decomposed: a script can write neither of them as a name.
        String composed = "caf\u00e9";
        String decomposed = "cafe\u0301";
        assertThat(BackendNameRules.toolNames(List.of(composed, decomposed, "caf_", "cafe")))
                .containsOnly(
                        entry(composed, "caf__2"),
                        entry(decomposed, "cafe_"),
                        entry("caf_", "caf_"),
                        entry("cafe", "cafe"));
        // A Cyrillic letter, a full-width letter and an invisible character, next to the Latin word.
        List<String> homoglyphs = List.of("pay", "p\u0430y", "p\uff41y", "pay\u200b", "p_y");
        assertThat(BackendNameRules.toolNames(homoglyphs))
                .containsOnlyKeys(homoglyphs)
                .containsEntry("pay", "pay")
                .containsEntry("p_y", "p_y")
                .satisfies(names -> assertThat(names.values())
                        .doesNotHaveDuplicates()
                        .allMatch(name -> name.matches("[A-Za-z0-9_.-]+")));
    }

    @Test
    void toolNamesDoNotDependOnTheDeclarationOrder() {
        List<String> names = List.of("p\u0430y", "pay", "p\u00e1y", "p_y", "P_y", "pa\u0301y");
        List<String> turned = new ArrayList<>(names);
        Collections.reverse(turned);
        assertThat(BackendNameRules.toolNames(turned)).isEqualTo(BackendNameRules.toolNames(names));
    }

    @Test
    void longNamesWithTheSamePrefixStayDistinct() {
        List<String> twins = List.of("x".repeat(128) + "a", "x".repeat(128) + "b", "x".repeat(128));
        assertThat(BackendNameRules.toolNames(twins)).containsOnlyKeys(twins);
        assertThat(BackendNameRules.toolNames(twins).values())
                .doesNotHaveDuplicates()
                .contains("x".repeat(128))
                .allSatisfy(name -> assertThat(name).hasSizeLessThanOrEqualTo(128));
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
