package org.sallyport.bench.scenario;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LoopResult;
import org.sallyport.bench.measure.TimedOperation;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.TimedResponse;

/** P1: submit and wait of trivial scripts, one at a time, with the latencies of the stages. */
public final class SubmitAndWaitBenchmark {
    private static final double MAX_P50_MILLIS = 4;
    private static final double MAX_P99_MILLIS = 20;
    private static final int STAGE_SAMPLES = 100;

    private SubmitAndWaitBenchmark() {}

    /** Measures the service and the two commits alternately. */
    public static BenchmarkResult measure(TestBed bed, MeasurementWindow stretch) throws Exception {
        Queue<TimedResponse> replies = new ConcurrentLinkedQueue<>();
        TimedOperation once = number -> {
            TimedResponse reply =
                    bed.client().run(BenchmarkScript.trivial(number)).expectResult(number + 1);
            replies.add(reply);
            return reply.nanos();
        };
        ClosedLoop loop = new ClosedLoop(1);
        AlternatingMeasurement compared = AlternatingMeasurement.measure(
                stretch.rounds(),
                bed.service(),
                () -> loop.runFor(stretch.serviceTime(), once),
                () -> loop.runFor(stretch.baselineTime(), bed.jdbc()));
        LoopResult all = compared.runs().loadTotal();
        List<TimedResponse> last = replies.stream()
                .skip(Math.max(0, replies.size() - STAGE_SAMPLES))
                .toList();
        BaselineComparison commits = new BaselineComparison(
                "two commits",
                compared.runs().baselineTotal().latencies().p50(),
                compared.runs().medianRatio(round -> round.latencies().p50()));
        ReportRow row = new ReportRow(
                "P1",
                "submit and wait, trivial script, c=1",
                all.count(),
                compared.cpuMillis(),
                List.of(
                        new MeasuredValue("p50", all.latencies().p50(), "ms", PerformanceTarget.atMost(MAX_P50_MILLIS))
                                .comparedWith(commits),
                        new MeasuredValue(
                                "p99", all.latencies().p99(), "ms", PerformanceTarget.atMost(MAX_P99_MILLIS))));
        return new BenchmarkResult(
                List.of(row),
                List.of(compared.baselineRow("two commits on H2, c=1")),
                StageLatencies.measure(bed.client(), last));
    }
}
