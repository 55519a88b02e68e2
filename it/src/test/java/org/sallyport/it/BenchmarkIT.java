package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.sallyport.it.harness.CheckoutPaths;

/**
 * Runs the benchmarks as the launcher runs them. The test does not judge the measured figures, because a test machine
 * may be slow. It runs isolated, because other tests would share the machine.
 */
@Tag("slow")
@Isolated
class BenchmarkIT {
    private static final int TIMEOUT_MINUTES = 8;
    private static final long STEP_MILLIS = 100;

    /** Temporary directory of the benchmark run, in which the test finds leftover files. */
    @TempDir
    Path temporaryDirectory;

    @TempDir
    Path outputDirectory;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void printsEveryRowAndFindsNothingWrong() throws Exception {
        Path json = outputDirectory.resolve("report.json");
        Process bench = startBenchmark("smoke", "--json", json.toString());

        assertThat(bench.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)).isTrue();
        assertThat(bench.exitValue()).as(errors()).isZero();
        assertThat(output().lines())
                .anyMatch(line -> line.startsWith("P1 "))
                .anyMatch(line -> line.startsWith("P2 "))
                .anyMatch(line -> line.startsWith("P3 "))
                .anyMatch(line -> line.startsWith("P5 "))
                .anyMatch(line -> line.startsWith("M1 "))
                .anyMatch(line -> line.startsWith("P7 "))
                .anyMatch(line -> line.startsWith("P8 "))
                .anyMatch(line -> line.startsWith("P9 "))
                .anyMatch(line -> line.startsWith("P11 "))
                .anyMatch(line -> line.startsWith("P12 "))
                .anyMatch(line -> line.startsWith("P14 "))
                .anyMatch(line -> line.startsWith("two commits on H2"))
                .anyMatch(line -> line.startsWith("JMS request/reply"))
                .anyMatch(line -> line.startsWith("MCP SDK"))
                .anyMatch(line -> line.startsWith("createdAt to startedAt"));
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertThat(report.path("rows").findValuesAsText("id"))
                .containsExactly(
                        "P1", "P2", "P3", "P3", "P4", "P4", "P5", "P5", "M1", "M1", "P6", "P7", "P8", "P9", "P11",
                        "P12", "P14", "P14");
        assertThat(report.at("/rows/2/operations").asLong()).isEqualTo(1_000);
        assertThat(report.at("/rows/3/operations").asLong()).isEqualTo(1_000);
        assertThat(report.at("/rows/10/operations").asLong()).isEqualTo(3);
        assertThat(report.at("/rows/11/operations").asLong()).isEqualTo(250);
        assertThat(report.at("/rows/12/operations").asLong()).isEqualTo(560);
        assertThat(leftoverFiles()).isEmpty();
        assertThat(awaitLeftoverProcesses()).isEmpty();
    }

    @Test
    void theSandboxIsMeasuredWithoutAService() throws Exception {
        Process bench = startBenchmark("sandbox");

        assertThat(bench.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)).isTrue();
        assertThat(bench.exitValue()).as(errors()).isZero();
        for (String row : List.of("S1 ", "S2 ", "S3 ", "S4 ", "S5 ", "S6 ")) {
            assertThat(output().lines()).anyMatch(line -> line.startsWith(row));
        }
        assertThat(leftoverFiles()).isEmpty();
        assertThat(awaitLeftoverProcesses()).isEmpty();
    }

    @Test
    void inProcessPartsAreMeasuredWithoutAService() throws Exception {
        Path json = outputDirectory.resolve("report.json");
        Process bench = startBenchmark("parts", "--warm-up", "1", "--json", json.toString());

        assertThat(bench.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)).isTrue();
        assertThat(bench.exitValue()).as(errors()).isZero();
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertThat(report.path("rows").findValuesAsText("id")).containsExactly("I1", "I2", "I3", "I4");
        assertThat(report.path("rows"))
                .allMatch(row -> row.path("operations").asLong() >= 400)
                .allMatch(row -> row.path("figures").size() == 2);
        assertThat(leftoverFiles()).isEmpty();
    }

    @Test
    void growthComparesServicesWithFewAndManyStoredExecutions() throws Exception {
        Path json = outputDirectory.resolve("report.json");
        Process bench = startBenchmark("growth", "--stored", "100,3000", "--json", json.toString());

        assertThat(bench.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)).isTrue();
        assertThat(bench.exitValue()).as(errors()).isZero();
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertThat(report.path("rows").findValuesAsText("id")).containsExactly("P10", "P10", "P10", "P10");
        assertThat(report.path("rows")).allMatch(row -> row.path("operations").asLong() > 0);
        assertThat(leftoverFiles()).isEmpty();
        assertThat(awaitLeftoverProcesses()).isEmpty();
    }

    @Test
    void signalStopsStartedProcessesAndLeavesNoFiles() throws Exception {
        Process bench = startBenchmark("smoke");
        long limit = System.nanoTime() + TimeUnit.MINUTES.toNanos(TIMEOUT_MINUTES);
        while (!errors().contains("warm-up")) {
            assertThat(bench.isAlive()).as(errors()).isTrue();
            assertThat(System.nanoTime()).as("time is over: " + errors()).isLessThan(limit);
            Thread.sleep(STEP_MILLIS);
        }
        assertThat(leftoverProcesses()).isNotEmpty();
        bench.destroy();

        assertThat(bench.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)).isTrue();
        assertThat(bench.exitValue()).isNotZero();
        assertThat(errors()).doesNotContain("Exception");
        assertThat(leftoverFiles()).isEmpty();
        assertThat(awaitLeftoverProcesses()).isEmpty();
    }

    @Test
    void unknownCommandIsRefused() throws Exception {
        Process bench = startBenchmark("smok");

        assertThat(bench.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)).isTrue();
        assertThat(bench.exitValue()).isEqualTo(2);
        assertThat(errors()).contains("'smok' is neither a command nor an option", "Usage:");
    }

    private Process startBenchmark(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + temporaryDirectory,
                "-Dsallyport.home=" + CheckoutPaths.root(),
                "-jar",
                CheckoutPaths.root().resolve("bench/target/sallyport-bench.jar").toString()));
        command.addAll(Arrays.asList(arguments));
        Process process = new ProcessBuilder(command)
                .redirectOutput(outputDirectory.resolve("out").toFile())
                .redirectError(outputDirectory.resolve("err").toFile())
                .start();
        processes.add(process);
        return process;
    }

    private String output() throws IOException {
        return Files.readString(outputDirectory.resolve("out"));
    }

    private String errors() throws IOException {
        return Files.readString(outputDirectory.resolve("err"));
    }

    private List<Path> leftoverFiles() throws IOException {
        try (Stream<Path> files = Files.list(temporaryDirectory)) {
            return files.filter(file -> file.getFileName().toString().startsWith("sallyport"))
                    .toList();
        }
    }

    /** Waits up to one minute, because processes that the service asks to end may end shortly after the service. */
    private List<String> awaitLeftoverProcesses() throws InterruptedException {
        long limit = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!leftoverProcesses().isEmpty() && System.nanoTime() < limit) {
            Thread.sleep(STEP_MILLIS);
        }
        return leftoverProcesses();
    }

    /** Finds the service and its workers by their command lines, which all contain the data directory. */
    private List<String> leftoverProcesses() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.pid() != processes.get(0).pid())
                .map(process -> process.info().commandLine().orElse(""))
                .filter(line -> line.contains(
                        temporaryDirectory.resolve("sallyport-bench-").toString()))
                .toList();
    }
}
