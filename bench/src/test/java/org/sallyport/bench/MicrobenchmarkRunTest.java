package org.sallyport.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.sallyport.bench.report.BenchmarkReport;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.report.TextReportWriter;

/** Runs every microbenchmark briefly. Does not check any figure against its target. */
class MicrobenchmarkRunTest {

    @Test
    void everyMicrobenchmarkReportsItsFigures() throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        BenchmarkReport report = new MicrobenchmarkRun(
                        Duration.ofMillis(20), 3, new PrintStream(said, true, StandardCharsets.UTF_8))
                .run(Instant.EPOCH, "some machine");

        assertThat(report.rows()).extracting(ReportRow::id).containsExactly("I1", "I2", "I3", "I4");
        assertThat(report.rows()).allSatisfy(row -> {
            assertThat(row.values()).hasSize(2).extracting(MeasuredValue::unit).containsOnly("µs");
            assertThat(row.values()).allMatch(figure -> figure.value() > 0);
            assertThat(row.operations()).isGreaterThanOrEqualTo(6);
        });
        assertThat(report.rows().get(0).values())
                .extracting(MeasuredValue::target)
                .containsOnly(PerformanceTarget.atMost(20));
        assertThat(report.rows().get(1).values())
                .extracting(MeasuredValue::target)
                .containsOnly(PerformanceTarget.atMost(10));
        assertThat(report.executions())
                .isEqualTo(
                        report.rows().stream().mapToLong(ReportRow::operations).sum());
        assertThat(TextReportWriter.toText(report)).contains(report.executions() + " operations, all");
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("I1 rules for one tool", "I4 reply");
    }
}
