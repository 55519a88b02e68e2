package org.sallyport.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Report;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.report.TextReport;

/** Every part, shortly. No figure is judged. */
class PartsRunTest {

    @Test
    void everyPartHasItsFigure() throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        Report report = new PartsRun(Duration.ofMillis(20), 3, new PrintStream(said, true, StandardCharsets.UTF_8))
                .run(Instant.EPOCH, "some machine");

        assertThat(report.rows()).extracting(Row::id).containsExactly("I1", "I2", "I3", "I4");
        assertThat(report.rows()).allSatisfy(row -> {
            assertThat(row.figures()).hasSize(2).extracting(Figure::unit).containsOnly("µs");
            assertThat(row.figures()).allMatch(figure -> figure.value() > 0);
            assertThat(row.operations()).isGreaterThanOrEqualTo(6);
        });
        assertThat(report.rows().get(0).figures()).extracting(Figure::target).containsOnly(Target.atMost(20));
        assertThat(report.rows().get(1).figures()).extracting(Figure::target).containsOnly(Target.atMost(10));
        assertThat(report.executions())
                .isEqualTo(report.rows().stream().mapToLong(Row::operations).sum());
        assertThat(TextReport.of(report)).contains(report.executions() + " operations, each");
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("I1 each looked at", "I4 answer");
    }
}
