package org.sallyport.it.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Servers;

/**
 * However often its node dies, what was accepted ends, once, and says what is true. {@code -Dchaos.kills=50}, {@code
 * -Dchaos.database=postgresql}, {@code -Dchaos.broker=external} and {@code -Dchaos.seed=…} ask for other runs.
 */
@ExtendWith(Servers.class)
class ChaosIT {
    @Test
    void whatWasAcceptedEndsAsItMustHoweverOftenTheNodeDies() throws InterruptedException {
        Plan plan = Plan.asAsked();
        System.out.println("chaos: " + plan);
        try (Installation installation = Installation.start(plan)) {
            Findings findings = new Chaos(plan, installation).run();

            Path table = findings.publish();

            assertThat(findings.faults()).as("see %s", table).isEmpty();
        }
    }
}
