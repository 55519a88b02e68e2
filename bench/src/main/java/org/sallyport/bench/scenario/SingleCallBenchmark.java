package org.sallyport.bench.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.function.LongFunction;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LoopResult;
import org.sallyport.bench.measure.TimedOperation;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.TimedResponse;

/**
 * P4: submit and wait, one at a time, of a script that consists of one call. The service starts no script engine for
 * it.
 */
public final class SingleCallBenchmark {
    private static final double MAX_P50_MILLIS = 3;

    private SingleCallBenchmark() {}

    /** Measures both forms of such a script: JSON (tier direct) and a statement (tier simple). */
    public static BenchmarkResult measure(TestBed bed, MeasurementWindow stretch) throws Exception {
        return BenchmarkResult.combine(
                measure(bed, stretch, "one tool call as JSON", "direct", BenchmarkScript::directCall),
                measure(bed, stretch, "one tool call as a statement", "simple", BenchmarkScript::simpleCall));
    }

    private static BenchmarkResult measure(
            TestBed bed, MeasurementWindow stretch, String what, String tier, LongFunction<BenchmarkScript> script)
            throws Exception {
        TimedOperation once = number -> {
            TimedResponse reply = bed.client().run(script.apply(number));
            check(reply.body(), tier, number);
            return reply.nanos();
        };
        ClosedLoop loop = new ClosedLoop(1);
        AlternatingMeasurement compared = AlternatingMeasurement.measure(
                stretch.rounds(),
                bed.service(),
                () -> loop.runFor(stretch.serviceTime(), once),
                () -> loop.runFor(stretch.baselineTime(), bed.jdbc()));
        LoopResult all = compared.runs().loadTotal();
        BaselineComparison commits = new BaselineComparison(
                "two commits",
                compared.runs().baselineTotal().latencies().p50(),
                compared.runs().medianRatio(round -> round.latencies().p50()));
        MeasuredValue p50 = new MeasuredValue(
                        "p50", all.latencies().p50(), "ms", PerformanceTarget.atMost(MAX_P50_MILLIS))
                .comparedWith(commits);
        return BenchmarkResult.of(
                new ReportRow("P4", what + ", submit and wait, c=1", all.count(), compared.cpuMillis(), List.of(p50)));
    }

    private static void check(JsonNode execution, String tier, long number) throws WrongResultException {
        if (!execution.path("state").asText().equals("COMPLETED")
                || !execution.path("tier").asText().equals(tier)
                || execution.at("/result/n").asLong(-1) != number) {
            throw new WrongResultException(
                    "not a completed call of tier " + tier + " with n = " + number + ": " + execution);
        }
    }
}
