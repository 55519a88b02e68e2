package org.sallyport.bench.scenario;

import java.time.Duration;
import java.util.List;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LoopResult;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.TimedResponse;

/** P12: cancel of a script that never ends by itself, from the request to the terminal state. */
public final class CancelBenchmark {
    private static final double MAX_P50_MILLIS = 100;
    private static final double MAX_MILLIS = 2_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final long POLL_MILLIS = 20;

    private CancelBenchmark() {}

    /** Cancels {@code scripts} executions, one after the other. */
    public static BenchmarkResult measure(TestBed bed, int scripts) throws Exception {
        CpuMeter cpu = CpuMeter.of(bed.service());
        LoopResult cancels = cpu.measure(() -> new ClosedLoop(1).runTimes(scripts, number -> cancel(bed.client())));
        return BenchmarkResult.of(new ReportRow(
                "P12",
                "cancel of a script in while(true){}",
                cancels.count(),
                cpu.millisPerOperation(cancels.count()),
                List.of(
                        new MeasuredValue(
                                "p50", cancels.latencies().p50(), "ms", PerformanceTarget.atMost(MAX_P50_MILLIS)),
                        new MeasuredValue(
                                "maximum", cancels.latencies().max(), "ms", PerformanceTarget.atMost(MAX_MILLIS)))));
    }

    private static long cancel(BenchmarkClient client) throws Exception {
        String id = client.submit(BenchmarkScript.endless()).id();
        awaitLoop(client, id);
        long start = System.nanoTime();
        client.cancel(id);
        TimedResponse end = client.awaitEnd(id);
        long nanos = System.nanoTime() - start;
        if (!"CANCELLED".equals(end.state())) {
            throw new WrongResultException("an execution did not become CANCELLED: " + end.body());
        }
        return nanos;
    }

    /** Waits for the output of the script, which it writes immediately before its loop. */
    private static void awaitLoop(BenchmarkClient client, String id) throws Exception {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (client.execution(id).body().path("outputLength").asLong() == 0) {
            if (System.nanoTime() > end) {
                throw new WrongResultException("a script did not start within " + TIMEOUT.toSeconds() + " s: " + id);
            }
            Thread.sleep(POLL_MILLIS);
        }
    }
}
