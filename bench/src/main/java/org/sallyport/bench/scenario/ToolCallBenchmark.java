package org.sallyport.bench.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongFunction;
import org.sallyport.bench.measure.AlternatingRuns;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LatencyRecorder;
import org.sallyport.bench.measure.LoopResult;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.BaselineRow;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.TimedResponse;

/**
 * P5: sequential tool calls from a running script. The latency of a call is the time from its start in the trace to the
 * start of the next call: bridge, broker, connector and back, the transfer to the worker, and the step of the script.
 */
public final class ToolCallBenchmark {
    private static final double MAX_READ_MILLIS = 1;
    private static final double MAX_WRITE_MILLIS = 2;
    private static final double MAX_RATIO = 2;

    private ToolCallBenchmark() {}

    /**
     * Measures read-only calls, and then calls that are journaled before they are sent.
     *
     * @param rounds number of scripts of each kind
     * @param calls number of calls of one script, at most as many as one page of a trace shows
     * @param floor duration of the measurement of the broker baseline in each round
     */
    public static BenchmarkResult measure(TestBed bed, int rounds, int calls, Duration floor) throws Exception {
        ToolCallMeasurement reading = measure(bed, rounds, calls, floor, BenchmarkScript::readCalls);
        ToolCallMeasurement writing = measure(bed, rounds, calls, floor, BenchmarkScript::journaledCalls);
        return new BenchmarkResult(
                List.of(
                        row("tool call, read-only", MAX_READ_MILLIS, reading, true),
                        row("tool call, journaled", MAX_WRITE_MILLIS, writing, false)),
                List.of(
                        baselineRow("JMS request/reply, c=1", reading),
                        baselineRow("JMS request/reply, c=1, second measurement", writing)),
                List.of());
    }

    private record ToolCallMeasurement(AlternatingRuns runs, CpuMeter cpu, CpuMeter baselineCpu) {}

    private static ToolCallMeasurement measure(
            TestBed bed, int rounds, int calls, Duration floor, LongFunction<BenchmarkScript> script) throws Exception {
        CpuMeter cpu = CpuMeter.of(bed.service());
        CpuMeter floorCpu = CpuMeter.ofThisProcess();
        AlternatingRuns turns = AlternatingRuns.run(
                rounds,
                () -> {
                    TimedResponse reply = cpu.measure(
                            () -> bed.client().run(script.apply(calls)).expectResult(calls));
                    LatencyRecorder latencies = callLatencies(bed.client().firstTracePage(reply.id()), calls);
                    return new LoopResult(latencies, Duration.ofNanos(reply.nanos()));
                },
                () -> floorCpu.measure(() -> new ClosedLoop(1).runFor(floor, bed.jms())));
        return new ToolCallMeasurement(turns, cpu, floorCpu);
    }

    /**
     * Returns the times between the starts of consecutive calls.
     *
     * @throws WrongResultException if a call did not succeed
     */
    static LatencyRecorder callLatencies(JsonNode events, int calls) throws WrongResultException {
        LatencyRecorder latencies = new LatencyRecorder();
        Instant last = null;
        int well = 0;
        for (JsonNode event : events) {
            if ("tool_start".equals(event.path("type").asText())) {
                Instant at = Instant.parse(event.path("at").asText());
                if (last != null) {
                    latencies.record(Duration.between(last, at));
                }
                last = at;
            } else if (event.path("success").asBoolean()) {
                well++;
            }
        }
        if (well < calls || latencies.count() < calls - 1) {
            throw new WrongResultException(
                    "a trace with " + well + " successful calls instead of " + calls + ": " + events);
        }
        return latencies;
    }

    private static ReportRow row(String what, double millis, ToolCallMeasurement measurement, boolean compared) {
        LatencyRecorder latencies = measurement.runs().loadTotal().latencies();
        double ratio = measurement.runs().medianRatio(round -> round.latencies().p50());
        MeasuredValue p50 = new MeasuredValue("p50", latencies.p50(), "ms", PerformanceTarget.atMost(millis))
                .comparedWith(new BaselineComparison(
                        "JMS request/reply",
                        measurement.runs().baselineTotal().latencies().p50(),
                        ratio));
        MeasuredValue beside = new MeasuredValue("ratio to JMS", ratio, "×", PerformanceTarget.atMost(MAX_RATIO));
        return new ReportRow(
                "P5",
                what,
                latencies.count(),
                measurement.cpu().millisPerOperation(latencies.count()),
                compared ? List.of(p50, beside) : List.of(p50));
    }

    private static BaselineRow baselineRow(String what, ToolCallMeasurement measurement) {
        LoopResult bare = measurement.runs().baselineTotal();
        return new BaselineRow(
                what,
                bare.count(),
                bare.latencies().p50(),
                bare.perSecond(),
                measurement.baselineCpu().millisPerOperation(bare.count()));
    }
}
