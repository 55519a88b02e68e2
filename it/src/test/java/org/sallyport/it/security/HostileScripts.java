package org.sallyport.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.TimingCalibration;
import org.sallyport.testsupport.TimingAssertions;

/**
 * Runs attacks on a service that runs scripts in one mode. Each attack ends in time with the expected result, leaks
 * nothing, and does not disturb other executions. {@code -Dhostile=all} includes the slow cases, and {@code
 * -Dhostile.rows=A01,B12} selects cases.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
abstract class HostileScripts {
    /** For the rows that fill memory, on a quiet machine, in the shipped mode. */
    private static final Duration MAX_BYSTANDER_P99 = Duration.ofSeconds(1);

    private final SandboxMode mode;

    HostileScripts(SandboxMode mode) {
        this.mode = mode;
    }

    private List<AttackCase> rows() {
        String wanted = System.getProperty("hostile.rows", "");
        List<String> ids = wanted.isEmpty() ? List.of() : List.of(wanted.split(",", -1));
        boolean all = System.getProperty("hostile", "fast").equals("all") || !ids.isEmpty();
        return AttackCatalog.all().stream()
                .filter(row -> row.modes().contains(mode) && (all || inEveryBuild(row)))
                .filter(row -> ids.isEmpty() || ids.stream().anyMatch(id -> matchesId(row.id(), id)))
                .toList();
    }

    /** B1 selects B1 and B1b, but not B12; X selects all ids with this prefix. */
    private static boolean matchesId(String row, String wanted) {
        return row.matches(Pattern.quote(wanted) + (wanted.matches(".*\\d") ? "\\D*" : ".*"));
    }

    /** The shipped mode (worker) runs all fast cases. The other mode runs only a few of the exclusive ones. */
    private boolean inEveryBuild(AttackCase row) {
        return row.fast()
                && (mode == SandboxMode.WORKER || !row.exclusive() || row.id().startsWith("B0"));
    }

    @Timeout(value = 1, unit = TimeUnit.HOURS)
    @Test
    void everyAttackEndsAsExpectedWithoutDisturbingOthers() {
        try (SecurityTestServer arena = SecurityTestServer.start(mode)) {
            assertEveryAttackEndsAsExpected(arena);
        }
    }

    private void assertEveryAttackEndsAsExpected(SecurityTestServer arena) {
        TimingCalibration calibration = TimingCalibration.of(arena.otherApi());
        List<AttackCaseResult> verdicts;
        BystanderLoad victim = BystanderLoad.ofVictim(arena);
        BystanderLoad bystander = BystanderLoad.ofBystander(arena);
        ResourceUsage before = ResourceUsage.of(arena.server());
        try (victim;
                bystander) {
            verdicts = new SecuritySuiteRunner(arena).runAll(rows());
        }
        ResourceUsage after = ResourceUsage.of(arena.server());
        List<String> damage = PostAttackCheck.findDamage(arena, before, after);
        Duration maxP99 = calibration.adjustLimit(MAX_BYSTANDER_P99);

        Path table = new SecurityReport(
                        arena, victim, bystander, verdicts, List.of("before: " + before, "after: " + after))
                .publish();

        assertThat(verdicts.stream()
                        .filter(verdict -> !verdict.hasPassed() && !verdict.isKnownIssue())
                        .map(AttackCaseResult::summarize))
                .as("rows not as expected, see %s", table)
                .isEmpty();
        assertThat(verdicts.stream().filter(AttackCaseResult::isFixed).map(AttackCaseResult::summarize))
                .as("rows that are marked open and are as expected: take the mark away")
                .isEmpty();
        assertThat(victim.failureMessages()).as("what the victim noticed").isEmpty();
        assertThat(bystander.failureMessages()).as("what the bystander noticed").isEmpty();
        assertThat(damage).as("what is left of it").isEmpty();
        if (mode == SandboxMode.WORKER) {
            verdicts.stream()
                    .filter(verdict -> verdict.attackCase().id().startsWith("F"))
                    .forEach(verdict -> bystander
                            .summarizeDuring(verdict)
                            .p99()
                            .ifPresent(millis -> TimingAssertions.assertAtMost(maxP99, Duration.ofMillis(millis))));
        }
    }
}
