package org.sallyport.it.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Servers;

/** What is really lost is found: a run that finds nothing means something. */
@Tag("slow")
@ExtendWith(Servers.class)
class NegativeControlIT {
    /** The setting that keeps commits on the disk, {@code WRITE_DELAY=0}, is undone behind the back of the server. */
    @Test
    void aDatabaseThatForgetsWhatWasCommittedIsFound() throws InterruptedException {
        Plan plan = new Plan(1, Plan.Database.H2, Plan.Broker.EMBEDDED, 4711);
        try (Installation installation = Installation.forgetful(plan)) {
            Findings findings = new Chaos(plan, installation).run();

            assertThat(findings.comparison().lost()).as(findings.text()).isNotEmpty();
            assertThat(findings.faults()).isNotEmpty();
        }
    }
}
