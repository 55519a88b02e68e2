package org.sallyport.bench.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LatencyRecorder;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.TimedResponse;
import org.sallyport.bench.service.WorkerProcessHandle;

/**
 * P9: a script loses its worker after a hundred journaled calls, while it sleeps. The worker is suspended until the
 * sleep is over. Thus the repeated script has nothing left to wait for, and the time of its next call is the end of the
 * replay.
 */
public final class WorkerCrashBenchmark {
    private static final int CALLS = 100;
    private static final long SLEEP_MILLIS = 2_000;
    /**
     * After this time the service knows that the script is idle, so the script does not count as the cause of the
     * crash.
     */
    private static final long SETTLED_MILLIS = 400;

    private static final long OVERDUE_MILLIS = 50;
    private static final long POLL_MILLIS = 20;
    private static final int ATTEMPTS = 3;
    private static final int CONCURRENCY = 8;
    private static final int WARM_UPS = 32;
    private static final int WARM_UP_CALLS = 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final double MAX_REPLAY_MILLIS = 50;

    private final TestBed testBed;
    private final LatencyRecorder firstRun = new LatencyRecorder();
    private final LatencyRecorder replay = new LatencyRecorder();
    private final LatencyRecorder crashToNextCall = new LatencyRecorder();

    private WorkerCrashBenchmark(TestBed bed) {
        this.testBed = bed;
    }

    /**
     * Crashes the workers of this number of scripts, one after the other. Returns an empty result where workers are not
     * visible.
     */
    public static BenchmarkResult measure(TestBed bed, int crashes) throws Exception {
        if (bed.service().workers().isEmpty()) {
            return BenchmarkResult.EMPTY;
        }
        WorkerCrashBenchmark row = new WorkerCrashBenchmark(bed);
        for (int tried = 0; row.replay.count() < crashes && tried < crashes * ATTEMPTS; tried++) {
            row.crashWorker();
        }
        if (row.replay.count() == 0) {
            throw new WrongResultException("no worker was killed while its script slept");
        }
        double p50 = row.replay.p50();
        return BenchmarkResult.of(new ReportRow(
                "P9",
                String.format("worker killed after %,d journaled calls", CALLS),
                row.replay.count(),
                OptionalDouble.empty(),
                List.of(
                        new MeasuredValue(
                                        "RUNNING to next call, p50",
                                        p50,
                                        "ms",
                                        PerformanceTarget.atMost(MAX_REPLAY_MILLIS))
                                .comparedWith(new BaselineComparison(
                                        "first run", row.firstRun.p50(), p50 / row.firstRun.p50())),
                        new MeasuredValue(
                                "crash to next call, p50",
                                row.crashToNextCall.p50(),
                                "ms",
                                PerformanceTarget.none()))));
    }

    private void crashWorker() throws Exception {
        BenchmarkClient client = testBed.client();
        // Measures replay, not the first run of a script in a worker: the replacement workers are new.
        new ClosedLoop(CONCURRENCY)
                .runTimes(
                        WARM_UPS,
                        number -> client.run(BenchmarkScript.readCalls(WARM_UP_CALLS))
                                .expectResult(WARM_UP_CALLS)
                                .nanos());
        Map<Long, Double> before = awaitReadyWorkers().stream()
                .collect(Collectors.toMap(WorkerProcessHandle::pid, WorkerProcessHandle::cpuMillis));
        String id = client.submit(BenchmarkScript.callingThenSleeping(CALLS, SLEEP_MILLIS))
                .id();
        long due = awaitWakeTime(id);
        // A hundred calls cost their worker more CPU time than the other workers use meanwhile.
        Optional<WorkerProcessHandle> busiest = testBed.service().workers().stream()
                .max(Comparator.comparingDouble(worker -> worker.cpuMillis() - before.getOrDefault(worker.pid(), 0.0)));
        Thread.sleep(SETTLED_MILLIS);
        Instant crashed = Instant.MAX;
        if (busiest.isPresent() && System.currentTimeMillis() < due) {
            busiest.get().suspend();
            Thread.sleep(Math.max(0, due + OVERDUE_MILLIS - System.currentTimeMillis()));
            crashed = Instant.now();
            busiest.get().kill();
        }
        client.awaitEnd(id).expectResult(CALLS);
        recordTrace(client.fullTrace(id), crashed);
    }

    /**
     * Waits until all workers have started. A starting worker would use more CPU time than the worker of the script, by
     * which that worker is recognized. The crash of a starting worker is another case.
     */
    private List<WorkerProcessHandle> awaitReadyWorkers() throws Exception {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        List<WorkerProcessHandle> found = testBed.service().workers();
        while (testBed.client().gauges().readyWorkers() < found.size() && System.nanoTime() < end) {
            Thread.sleep(POLL_MILLIS);
            found = testBed.service().workers();
        }
        return found;
    }

    /**
     * Waits until the script has printed the time at which its sleep ends. Returns this time in milliseconds of the
     * epoch.
     */
    private long awaitWakeTime(String id) throws Exception {
        while (true) {
            TimedResponse reply = testBed.client().execution(id);
            String said = reply.body().path("output").asText().strip();
            if (!said.isEmpty()) {
                return Long.parseLong(said);
            } else if (reply.hasEnded()) {
                throw new WrongResultException("a script ended before it slept: " + reply.body());
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    private void recordTrace(List<JsonNode> trace, Instant crashed) throws WrongResultException {
        List<Instant> runs = trace.stream()
                .filter(event -> event.path("state").asText().equals("RUNNING"))
                .map(WorkerCrashBenchmark::at)
                .toList();
        List<Instant> calls = trace.stream()
                .filter(event -> event.path("type").asText().equals("tool_start"))
                .map(WorkerCrashBenchmark::at)
                .toList();
        if (calls.size() != CALLS + 1) {
            throw new WrongResultException("a trace with " + calls.size() + " calls instead of " + (CALLS + 1));
        }
        // A worker that was not killed in time ran the script once.
        if (runs.size() == 2) {
            firstRun.record(Duration.between(runs.get(0), calls.get(CALLS - 1)));
            replay.record(Duration.between(runs.get(1), calls.get(CALLS)));
            crashToNextCall.record(Duration.between(crashed, calls.get(CALLS)));
        }
    }

    private static Instant at(JsonNode event) {
        return Instant.parse(event.path("at").asText());
    }
}
