package org.sallyport.bench.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.bench.measure.AlternatingRuns;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LoopResult;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.NodeGauges;
import org.sallyport.bench.service.ServiceResourceUsage;

/**
 * P7: executions that wait for a slow tool at the same time. Measures their memory, and the latency of a trivial script
 * while they wait.
 */
public final class SlowToolBenchmark {
    private static final int SUBMITTERS = 8;
    private static final long POLL_MILLIS = 50;
    /** Time for the memory checks. */
    private static final Duration MEMORY_CHECK_TIME = Duration.ofMillis(1_500);
    /** A longer call may time out. */
    private static final Duration MAX_CALL_TIME = Duration.ofSeconds(25);

    /** With fewer executions the heap is not significant: database caches alone vary by some megabytes. */
    private static final int MIN_FOR_HEAP = 1_000;

    private static final double MAX_KILOBYTES = 100;
    private static final double EXECUTIONS_PER_THREAD = 10;
    private static final double MAX_RATIO = 1.5;
    private static final double KILOBYTE = 1_000;

    private final TestBed testBed;
    private final ConcurrencySettings settings;
    private final ClosedLoop sequential = new ClosedLoop(1);
    private final ClosedLoop concurrent = new ClosedLoop(SUBMITTERS);
    private Duration callTime = MAX_CALL_TIME;
    private long minWaiting = Long.MAX_VALUE;
    private final LongSummaryStatistics heapGrowth = new LongSummaryStatistics();
    private final OptionalLong initialHeap;
    private Optional<ServiceResourceUsage> usageBefore = Optional.empty();
    private Optional<ServiceResourceUsage> usageDuring = Optional.empty();

    private SlowToolBenchmark(TestBed bed, ConcurrencySettings crowd) {
        this.testBed = bed;
        this.settings = crowd;
        this.initialHeap = bed.service().liveHeap();
    }

    /** Measures alternately with and without the waiting executions. */
    public static BenchmarkResult measure(TestBed bed, ConcurrencySettings crowd) throws Exception {
        SlowToolBenchmark row = new SlowToolBenchmark(bed, crowd);
        row.calibrate();
        AlternatingRuns turns = AlternatingRuns.run(crowd.rounds(), row::measureBesideWaiting, row::measureAlone);
        return BenchmarkResult.of(new ReportRow(
                "P7",
                String.format("%,d executions that wait for a slow tool", crowd.waitingExecutions()),
                (long) crowd.waitingExecutions() * crowd.rounds(),
                OptionalDouble.empty(),
                row.figures(turns)));
    }

    /**
     * The wait that makes all of them overlap is unknown. The same number of scripts without a wait shows it and starts
     * the workers.
     */
    private void calibrate() throws Exception {
        Duration once =
                concurrent.runTimes(settings.waitingExecutions(), this::trivial).elapsed();
        Duration wanted = once.multipliedBy(2).plus(settings.window()).plus(MEMORY_CHECK_TIME);
        callTime = wanted.compareTo(MAX_CALL_TIME) < 0 ? wanted : MAX_CALL_TIME;
    }

    private LoopResult measureAlone() throws Exception {
        return sequential.runFor(settings.window(), this::trivial);
    }

    private long trivial(long number) throws Exception {
        return testBed.client()
                .run(BenchmarkScript.trivial(number))
                .expectResult(number + 1)
                .nanos();
    }

    private LoopResult measureBesideWaiting() throws Exception {
        BenchmarkClient client = testBed.client();
        Optional<ServiceResourceUsage> before = testBed.service().usage();
        long until = System.currentTimeMillis() + callTime.toMillis();
        Map<Long, String> ids = new ConcurrentHashMap<>();
        concurrent.runTimes(settings.waitingExecutions(), number -> {
            ids.put(
                    number,
                    client.submit(BenchmarkScript.waitingOnSlowTool(number, until))
                            .id());
            return 0;
        });
        NodeGauges gauges = client.gauges();
        // A machine that is too slow for all at the same time does not fail: the row states the reached number.
        while (gauges.openCalls() < settings.waitingExecutions()
                && System.currentTimeMillis() + settings.window().toMillis() < until) {
            Thread.sleep(POLL_MILLIS);
            gauges = client.gauges();
        }
        if (usageBefore.isEmpty()) {
            // Measured for the first group only: a Java VM keeps the memory for the next one.
            usageBefore = before;
            usageDuring = testBed.service().usage();
        }
        OptionalLong heap = testBed.service().liveHeap();
        if (initialHeap.isPresent() && heap.isPresent()) {
            heapGrowth.accept(heap.getAsLong() - initialHeap.getAsLong());
        }
        LoopResult fresh = sequential.runFor(settings.window(), this::trivial);
        minWaiting = Math.min(
                minWaiting, Math.min(gauges.openCalls(), client.gauges().openCalls()));
        concurrent.runTimes(settings.waitingExecutions(), number -> {
            client.awaitEnd(ids.getOrDefault(number, "")).expectResult(number);
            return 0;
        });
        return fresh;
    }

    private List<MeasuredValue> figures(AlternatingRuns turns) {
        List<MeasuredValue> figures = new ArrayList<>();
        double ratio = turns.medianRatio(round -> round.latencies().p50());
        figures.add(new MeasuredValue("trivial script, p50 ratio", ratio, "×", PerformanceTarget.atMost(MAX_RATIO)));
        figures.add(new MeasuredValue(
                        "trivial script, p50", turns.loadTotal().latencies().p50(), "ms", PerformanceTarget.none())
                .comparedWith(new BaselineComparison(
                        "without them", turns.baselineTotal().latencies().p50(), ratio)));
        figures.add(new MeasuredValue(
                "waiting at the same time", minWaiting, "", PerformanceTarget.atLeast(settings.waitingExecutions())));
        if (heapGrowth.getCount() > 0 && settings.waitingExecutions() >= MIN_FOR_HEAP) {
            figures.add(new MeasuredValue(
                    "server heap per execution",
                    kilobytesPerExecution(heapGrowth.getAverage()),
                    "KB",
                    PerformanceTarget.atMost(MAX_KILOBYTES)));
        }
        if (usageBefore.isPresent() && usageDuring.isPresent()) {
            figures.add(new MeasuredValue(
                    "RSS of " + usageDuring.get().workers() + " workers, per execution",
                    kilobytesPerExecution((double) usageDuring.get().allWorkersBytes()
                            - usageBefore.get().allWorkersBytes()),
                    "KB",
                    PerformanceTarget.atMost(MAX_KILOBYTES)));
            figures.add(new MeasuredValue(
                    "threads added to " + usageBefore.get().threads(),
                    usageDuring.get().threads() - usageBefore.get().threads(),
                    "",
                    PerformanceTarget.atMost(settings.waitingExecutions() / EXECUTIONS_PER_THREAD)));
        }
        return figures;
    }

    private double kilobytesPerExecution(double bytes) {
        return bytes / KILOBYTE / settings.waitingExecutions();
    }
}
