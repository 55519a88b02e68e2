package org.sallyport.it.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.ServerExtension;

/** The checker detects data that is really lost. Without this check a run that finds nothing would prove nothing. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
class LostCommitDetectionIT {
    /**
     * The test reverts the setting that makes commits durable, {@code WRITE_DELAY=0}, without the knowledge of the
     * server.
     */
    @Test
    void lostCommitsOfTheDatabaseAreDetected() throws InterruptedException {
        ChaosPlan plan = new ChaosPlan(1, 1, ChaosPlan.ChaosDatabase.H2, ChaosPlan.ChaosBroker.EMBEDDED, 4711);
        try (ChaosEnvironment installation = ChaosEnvironment.startWithLossyDatabase(plan)) {
            ChaosReport findings = new ChaosRun(plan, installation).run();

            assertThat(findings.checker().violations(HistoryRule.STORED))
                    .as(findings.toMarkdown())
                    .isNotEmpty();
            assertThat(findings.findViolations()).isNotEmpty();
        }
    }
}
