package org.sallyport.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.ProcessInspector;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.TimingCalibration;

/**
 * Runs the short attacks on the memory of the server beside legitimate users, in every build. {@link HostileScriptsIT}
 * runs all of them.
 */
@ExtendWith(ServerExtension.class)
class MemoryAttacksIT {
    private static final Set<String> SHORT_ROWS = Set.of("F01", "F09", "F14");
    private static final String SHIPPED_HEAP = "-Xmx768m";
    /** Ten times what a server needs that has just started, on a quiet machine. */
    private static final Duration MAX_P99 = Duration.ofSeconds(20);

    @Test
    void attacksOnTheMemoryNeitherEndTheServerNorDelayOthers(
            SallyportServer server, TestTenant attacker, TestTenant other) {
        List<AttackCase> rows = AttackCatalog.all().stream()
                .filter(row -> SHORT_ROWS.contains(row.id()))
                .toList();
        assertThat(rows).hasSameSizeAs(SHORT_ROWS);
        assertThat(ProcessInspector.jcmd(server.pid(), "VM.command_line")).contains(SHIPPED_HEAP);
        // Not closed: other tests use the server, too.
        SecurityTestServer arena = SecurityTestServer.of(server, attacker, other);
        TimingCalibration calibration = TimingCalibration.of(arena.otherApi());
        List<AttackCaseResult> verdicts;
        BystanderLoad victim = BystanderLoad.ofVictim(arena);
        BystanderLoad bystander = BystanderLoad.ofBystander(arena);
        try (victim;
                bystander) {
            verdicts = new SecuritySuiteRunner(arena).runAll(rows);
        }
        assertThat(verdicts.stream().filter(verdict -> !verdict.hasPassed()).map(AttackCaseResult::summarize))
                .isEmpty();
        assertThat(victim.failureMessages()).as("what the victim noticed").isEmpty();
        assertThat(bystander.failureMessages()).as("what the bystander noticed").isEmpty();
        assertThat(bystander.summarize(start(verdicts), end(verdicts)).p99().orElseThrow())
                .as("p99 of the bystander during the attacks, in milliseconds")
                .isLessThan(calibration.adjustLimit(MAX_P99).toMillis());
    }

    private static long start(List<AttackCaseResult> verdicts) {
        return verdicts.stream().mapToLong(AttackCaseResult::startMillis).min().orElseThrow();
    }

    private static long end(List<AttackCaseResult> verdicts) {
        return verdicts.stream().mapToLong(AttackCaseResult::endMillis).max().orElseThrow();
    }
}
