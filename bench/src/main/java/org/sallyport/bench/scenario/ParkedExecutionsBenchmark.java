package org.sallyport.bench.scenario;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LatencyRecorder;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.TimedResponse;

/**
 * P8: parked executions: the rate at which they are parked, their memory, and the delay of other executions that wake
 * meanwhile. Other rows are measured while they sleep.
 */
public final class ParkedExecutionsBenchmark {
    private static final int SUBMITTERS = 8;
    private static final int AWAITED_AT_END = 40;
    private static final long PARKED_SLEEP_MILLIS = TimeUnit.DAYS.toMillis(3);
    /** A query for the position in a long queue costs the service more than the work itself. */
    private static final long POLL_MILLIS = 250;

    private static final long SUBMITTING_MILLIS = 500;
    private static final Duration TIMEOUT = Duration.ofMinutes(30);
    /** With fewer executions the heap is not significant, because other changes of it are larger. */
    private static final int MIN_FOR_HEAP = 10_000;

    private static final double MAX_KILOBYTES = 2;
    private static final double MAX_WAKE_MILLIS = 20;
    private static final double KILOBYTE = 1_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final TestBed testBed;
    private final SleepSettings settings;
    private final ClosedLoop submitters = new ClosedLoop(SUBMITTERS);
    private final Map<Long, String> ids = new ConcurrentHashMap<>();
    private final List<MeasuredValue> figures = new ArrayList<>();
    private OptionalDouble cpuMillis = OptionalDouble.empty();
    private long startMillis;

    private ParkedExecutionsBenchmark(TestBed bed, SleepSettings nap) {
        this.testBed = bed;
        this.settings = nap;
    }

    /** Parks the executions and starts the ones that wake. */
    public static ParkedExecutionsBenchmark start(TestBed bed, SleepSettings nap) throws Exception {
        ParkedExecutionsBenchmark sleepers = new ParkedExecutionsBenchmark(bed, nap);
        OptionalLong before = nap.parkedExecutions() < MIN_FOR_HEAP
                ? OptionalLong.empty()
                : bed.service().liveHeap();
        sleepers.park();
        if (before.isPresent()) {
            double bytes = bed.service().liveHeap().orElse(0) - before.getAsLong();
            sleepers.figures.add(new MeasuredValue(
                    "heap per execution",
                    bytes / KILOBYTE / nap.parkedExecutions(),
                    "KB",
                    PerformanceTarget.atMost(MAX_KILOBYTES)));
        }
        sleepers.submitWaking();
        return sleepers;
    }

    private void park() throws Exception {
        BenchmarkClient client = testBed.client();
        long already = client.gauges().parkedExecutions();
        CpuMeter meter = CpuMeter.of(testBed.service());
        Duration took = meter.measure(() -> {
            Instant begun = Instant.now();
            submitters.runTimes(settings.parkedExecutions(), number -> {
                ids.put(
                        number,
                        client.submit(BenchmarkScript.sleeping(PARKED_SLEEP_MILLIS))
                                .id());
                return 0;
            });
            Instant last = Instant.MIN;
            for (long number = Math.max(0, settings.parkedExecutions() - AWAITED_AT_END);
                    number < settings.parkedExecutions();
                    number++) {
                Instant since = awaitParked(ids.getOrDefault(number, ""));
                last = since.isAfter(last) ? since : last;
            }
            return Duration.between(begun, last);
        });
        while (client.gauges().parkedExecutions() < already + settings.parkedExecutions()) {
            Thread.sleep(POLL_MILLIS);
        }
        cpuMillis = meter.millisPerOperation(settings.parkedExecutions());
        figures.add(new MeasuredValue(
                "parked",
                settings.parkedExecutions() * NANOS_PER_SECOND / took.toNanos(),
                "/s",
                PerformanceTarget.none()));
    }

    /** Polls until the execution is parked and returns the time. */
    private Instant awaitParked(String id) throws Exception {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (System.nanoTime() < end) {
            TimedResponse reply = testBed.client().execution(id);
            if (reply.state().equals("WAITING")) {
                return Instant.parse(
                        reply.body().path("waitingFor").path("since").asText());
            } else if (reply.hasEnded()) {
                throw new WrongResultException("an execution ended before its sleep was over: " + reply.body());
            }
            Thread.sleep(POLL_MILLIS);
        }
        throw new WrongResultException("an execution was not parked within " + TIMEOUT.toMinutes() + " minutes: " + id);
    }

    private void submitWaking() throws Exception {
        ids.clear();
        long apart = settings.wakeSpread().toMillis() / Math.max(1, settings.wakingExecutions());
        startMillis = System.currentTimeMillis();
        submitters.runTimes(settings.wakingExecutions(), number -> {
            // Spreads their ends regardless of the submission rate.
            long until = startMillis + settings.firstSleep().toMillis() + SUBMITTING_MILLIS + number * apart;
            long millis = Math.max(settings.firstSleep().toMillis(), until - System.currentTimeMillis());
            ids.put(
                    number,
                    testBed.client().submit(BenchmarkScript.sleeping(millis)).id());
            return 0;
        });
    }

    /** Waits for the executions that wake. */
    public BenchmarkResult awaitWaking() throws Exception {
        long last =
                startMillis + settings.firstSleep().plus(settings.wakeSpread()).toMillis() + SUBMITTING_MILLIS;
        Thread.sleep(Math.max(0, last - System.currentTimeMillis()));
        LatencyRecorder late = new LatencyRecorder();
        for (long number = 0; number < settings.wakingExecutions(); number++) {
            TimedResponse end = testBed.client().awaitEnd(ids.getOrDefault(number, ""));
            if (!end.state().equals("COMPLETED") || !end.body().path("result").isIntegralNumber()) {
                throw new WrongResultException("an execution did not complete after its sleep: " + end.body());
            }
            Instant due = Instant.ofEpochMilli(end.body().path("result").asLong());
            late.record(Duration.between(due, end.timestamp("finishedAt")));
        }
        figures.add(
                new MeasuredValue("wake-up delay, p50", late.p50(), "ms", PerformanceTarget.atMost(MAX_WAKE_MILLIS)));
        figures.add(new MeasuredValue("wake-up delay, p99", late.p99(), "ms", PerformanceTarget.none()));
        return BenchmarkResult.of(new ReportRow(
                "P8",
                String.format(
                        "%,d parked executions, %,d others that wake up",
                        settings.parkedExecutions(), settings.wakingExecutions()),
                (long) settings.parkedExecutions() + settings.wakingExecutions(),
                cpuMillis,
                figures));
    }
}
