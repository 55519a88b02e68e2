package org.sallyport.bench.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.ServiceResourceUsage;
import org.sallyport.bench.service.ServiceUnderTest;

/** P11: time from a cold start to the first result, and memory at the end of the run. */
public final class ColdStartBenchmark {
    private static final double MAX_SECONDS = 15;
    private static final double MAX_SERVER_MB = 600;
    private static final double MAX_WORKER_MB = 150;
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final double BYTES_PER_MB = 1024 * 1024;

    private ColdStartBenchmark() {}

    /**
     * Measures the memory. The caller has measured the time.
     *
     * @param took from before the start of the service to the first result
     */
    public static BenchmarkResult measure(ServiceUnderTest service, Duration took) {
        List<MeasuredValue> figures = new ArrayList<>();
        figures.add(new MeasuredValue(
                "time to first result",
                took.toMillis() / MILLIS_PER_SECOND,
                "s",
                PerformanceTarget.atMost(MAX_SECONDS)));
        service.usage().ifPresent(usage -> figures.addAll(memory(usage)));
        return BenchmarkResult.of(new ReportRow(
                "P11",
                "cold start to first result; memory after the load of P1 to P6",
                1,
                OptionalDouble.empty(),
                figures));
    }

    private static List<MeasuredValue> memory(ServiceResourceUsage usage) {
        return List.of(
                new MeasuredValue(
                        "server RSS",
                        usage.serverBytes() / BYTES_PER_MB,
                        "MB",
                        PerformanceTarget.atMost(MAX_SERVER_MB)),
                new MeasuredValue(
                        "largest of " + usage.workers() + " workers, RSS",
                        usage.largestWorkerBytes() / BYTES_PER_MB,
                        "MB",
                        PerformanceTarget.atMost(MAX_WORKER_MB)));
    }
}
