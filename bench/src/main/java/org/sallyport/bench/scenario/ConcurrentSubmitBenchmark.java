package org.sallyport.bench.scenario;

import java.util.ArrayList;
import java.util.List;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LoopResult;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkScript;

/** P2: submit and wait of trivial scripts, 32 in flight. */
public final class ConcurrentSubmitBenchmark {
    private static final int CONCURRENCY = 32;
    private static final double MIN_PER_SECOND = 500;
    private static final double MAX_CPU_MILLIS = 3;

    private ConcurrentSubmitBenchmark() {}

    /** Measures the service and the two commits alternately. */
    public static BenchmarkResult measure(TestBed bed, MeasurementWindow stretch) throws Exception {
        ClosedLoop loop = new ClosedLoop(CONCURRENCY);
        AlternatingMeasurement compared = AlternatingMeasurement.measure(
                stretch.rounds(),
                bed.service(),
                () -> loop.runFor(
                        stretch.serviceTime(),
                        number -> bed.client()
                                .run(BenchmarkScript.trivial(number))
                                .expectResult(number + 1)
                                .nanos()),
                () -> loop.runFor(stretch.baselineTime(), bed.jdbc()));
        LoopResult all = compared.runs().loadTotal();
        BaselineComparison commits = new BaselineComparison(
                "two commits",
                compared.runs().baselineTotal().perSecond(),
                compared.runs().medianRatio(LoopResult::millisPerOperation));
        List<MeasuredValue> figures = new ArrayList<>();
        figures.add(new MeasuredValue("rate", all.perSecond(), "/s", PerformanceTarget.atLeast(MIN_PER_SECOND))
                .comparedWith(commits));
        compared.cpuMillis()
                .ifPresent(cpu ->
                        figures.add(new MeasuredValue("CPU", cpu, "ms", PerformanceTarget.atMost(MAX_CPU_MILLIS))));
        ReportRow row =
                new ReportRow("P2", "submit and wait, c=" + CONCURRENCY, all.count(), compared.cpuMillis(), figures);
        return BenchmarkResult.of(row, compared.baselineRow("two commits on H2, c=" + CONCURRENCY));
    }
}
