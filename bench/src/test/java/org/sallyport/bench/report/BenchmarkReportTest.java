package org.sallyport.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class BenchmarkReportTest {
    private static final BenchmarkReport REPORT = new BenchmarkReport(
            "smoke",
            Instant.parse("2026-01-02T03:04:05Z"),
            Duration.ofMillis(45_600),
            1_234,
            "two cores",
            List.of(
                    new ReportRow(
                            "P1",
                            "submit and wait",
                            800,
                            OptionalDouble.of(2.345),
                            List.of(
                                    new MeasuredValue("p50", 3.456, "ms", PerformanceTarget.atMost(4))
                                            .comparedWith(new BaselineComparison("two commits", 0.25, 13.824)),
                                    new MeasuredValue("p99", 20.5, "ms", PerformanceTarget.atMost(20)))),
                    new ReportRow(
                            "P2",
                            "many",
                            10,
                            OptionalDouble.empty(),
                            List.of(new MeasuredValue("rate", 1_234.5, "/s", PerformanceTarget.atLeast(500))))),
            List.of(new BaselineRow("two commits", 1_000, 0.25, 3_900, OptionalDouble.of(0.2))),
            List.of(new StageLatency("a to b", "something", 1.5, 9, 2)));

    @Test
    void tableShowsTargetMeasurementAndBaseline() {
        assertThat(TextReportWriter.toText(REPORT)).isEqualTo("""
                Sallyport bench smoke, 2026-01-02T03:04:05Z, two cores

                row  measurement      figure   target  measured          baseline              ratio  CPU ms/op
                ---  ---------------  ------  -------  --------  ------  -------------------  ------  ---------
                P1   submit and wait  p50      ≤ 4 ms   3.46 ms          two commits 0.25 ms  13.8 ×       2.35
                                      p99     ≤ 20 ms   20.5 ms  missed
                P2   many             rate    ≥ 500/s   1,235/s

                Baselines, measured in the same run

                baseline     operations  p50 ms  per s  CPU ms/op
                -----------  ----------  ------  -----  ---------
                two commits       1,000    0.25  3,900       0.20

                Stages of one submit and wait (milliseconds, one execution at a time)

                stage    p50  p99  mean  steps
                ------  ----  ---  ----  ---------
                a to b  1.50    9     2  something

                1234 executions, all with the expected outcome; total time 45.6 s.
                """);
    }

    @Test
    void jsonContainsTheSameNumbersUnrounded() throws Exception {
        JsonNode json = new ObjectMapper().readTree(JsonReportWriter.toJson(REPORT));

        assertThat(json.path("command").asText()).isEqualTo("smoke");
        assertThat(json.path("tookMillis").asLong()).isEqualTo(45_600);
        JsonNode p50 = json.at("/rows/0/figures/0");
        assertThat(p50.path("value").asDouble()).isEqualTo(3.456);
        assertThat(p50.path("reached").asBoolean()).isTrue();
        assertThat(p50.at("/target/bound").asText()).isEqualTo("AT_MOST");
        assertThat(p50.at("/beside/ratio").asDouble()).isEqualTo(13.824);
        assertThat(json.at("/rows/0/figures/1/reached").asBoolean(true)).isFalse();
        assertThat(json.at("/rows/0/cpuMillis").asDouble()).isEqualTo(2.345);
        assertThat(json.at("/rows/1").has("cpuMillis")).isFalse();
        assertThat(json.at("/floors/0/perSecond").asDouble()).isEqualTo(3_900);
        assertThat(json.at("/stages/0/p99Millis").asDouble()).isEqualTo(9);
    }

    @Test
    void targetIsReachedAtItsExactValue() {
        assertThat(PerformanceTarget.atMost(4).isReachedBy(4)).isTrue();
        assertThat(PerformanceTarget.atMost(4).isReachedBy(4.001)).isFalse();
        assertThat(PerformanceTarget.atLeast(500).isReachedBy(500)).isTrue();
        assertThat(PerformanceTarget.atLeast(500).isReachedBy(499.9)).isFalse();
        assertThat(PerformanceTarget.atMost(4).isReachedBy(Double.NaN)).isFalse();
    }

    @Test
    void numbersShowOnlySignificantDigits() {
        assertThat(ReportNumberFormat.format(0.1234)).isEqualTo("0.12");
        assertThat(ReportNumberFormat.format(12.345)).isEqualTo("12.3");
        assertThat(ReportNumberFormat.format(12_345.6)).isEqualTo("12,346");
        assertThat(ReportNumberFormat.format(4, "ms")).isEqualTo("4 ms");
        assertThat(ReportNumberFormat.format(500, "/s")).isEqualTo("500/s");
        assertThat(ReportNumberFormat.format(Double.NaN)).isEqualTo("–");
    }

    @Test
    void lineNeedsACellForEachColumn() {
        assertThatThrownBy(() -> new TextTable("lr", "a", "b").addLine("one"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
