package org.sallyport.it.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.it.harness.ServerExtension;

/**
 * Each accepted execution ends exactly once, with a correct result, regardless of how often its node dies, on each
 * database and with each broker. {@code -Dchaos.kills=50}, {@code -Dchaos.database=postgresql}, {@code
 * -Dchaos.broker=external} and {@code -Dchaos.seed=…} select other runs.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
class ChaosIT {
    static List<ChaosPlan> plans() {
        return ChaosPlan.allFromProperties();
    }

    @ParameterizedTest
    @MethodSource("plans")
    void acceptedExecutionsEndCorrectlyDespiteRepeatedNodeDeaths(ChaosPlan plan) throws InterruptedException {
        System.out.println("chaos: " + plan);
        try (ChaosEnvironment installation = ChaosEnvironment.start(plan)) {
            ChaosReport findings = new ChaosRun(plan, installation).run();

            Path table = findings.publish();

            assertThat(findings.findViolations()).as("see %s", table).isEmpty();
        }
    }
}
