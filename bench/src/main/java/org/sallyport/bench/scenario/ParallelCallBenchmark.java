package org.sallyport.bench.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.sallyport.bench.measure.LatencyRecorder;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.TimedResponse;

/**
 * P6: parallel calls of a slow tool by one script. Measures from the start of the first call in the trace to the end of
 * the last one.
 */
public final class ParallelCallBenchmark {
    private static final int CALLS = 10;
    private static final long CALL_MILLIS = 50;
    private static final double MAX_TOTAL_MILLIS = 60;

    private ParallelCallBenchmark() {}

    /** Measures {@code rounds} scripts, one after the other. */
    public static BenchmarkResult measure(TestBed bed, int rounds) throws Exception {
        CpuMeter cpu = CpuMeter.of(bed.service());
        LatencyRecorder latencies = new LatencyRecorder();
        for (int i = 0; i < rounds; i++) {
            TimedResponse reply = cpu.measure(() -> bed.client()
                    .run(BenchmarkScript.parallelCalls(CALLS, CALL_MILLIS))
                    .expectResult(CALLS));
            latencies.record(totalDuration(bed.client().firstTracePage(reply.id()), CALLS));
        }
        return BenchmarkResult.of(new ReportRow(
                "P6",
                String.format("%d parallel calls of a tool that takes %d ms", CALLS, CALL_MILLIS),
                latencies.count(),
                cpu.millisPerOperation(latencies.count()),
                List.of(new MeasuredValue(
                        "all calls, p50", latencies.p50(), "ms", PerformanceTarget.atMost(MAX_TOTAL_MILLIS)))));
    }

    /**
     * Returns the time from the start of the first call in a trace to the end of the last one.
     *
     * @throws WrongResultException unless exactly {@code calls} calls succeeded
     */
    static Duration totalDuration(JsonNode events, int calls) throws WrongResultException {
        Instant first = Instant.MAX;
        Instant last = Instant.MIN;
        int well = 0;
        for (JsonNode event : events) {
            String type = event.path("type").asText();
            if (type.equals("tool_start")) {
                Instant at = Instant.parse(event.path("at").asText());
                first = at.isBefore(first) ? at : first;
            } else if (type.equals("tool_end") && event.path("success").asBoolean()) {
                Instant at = Instant.parse(event.path("at").asText());
                last = at.isAfter(last) ? at : last;
                well++;
            }
        }
        if (well != calls) {
            throw new WrongResultException(
                    "a trace with " + well + " successful calls instead of " + calls + ": " + events);
        }
        return Duration.between(first, last);
    }
}
