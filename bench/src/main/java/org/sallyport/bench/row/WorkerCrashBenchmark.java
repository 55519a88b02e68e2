package org.sallyport.bench.row;

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
 * P9: a script loses its worker after a hundred journaled calls, while it sleeps. The worker is held until the sleep is over:
 * when the script has been repeated there is nothing left to wait for, and its next call says when that was.
 */
public final class WorkerCrashBenchmark {
    private static final int CALLS = 100;
    private static final long SLEEP_MILLIS = 2_000;
    /** By then the service has heard that the script does nothing: it does not count as what the worker died of. */
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
     * Lets so many scripts lose their workers, one after the other; gives nothing where workers are not to be seen.
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
            throw new WrongResultException("no script lost its worker in time");
        }
        double p50 = row.replay.p50();
        return BenchmarkResult.of(new ReportRow(
                "P9",
                String.format("worker lost after %,d journaled calls", CALLS),
                row.replay.count(),
                OptionalDouble.empty(),
                List.of(
                        new MeasuredValue(
                                        "claim to next call, p50",
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
        // What is measured is to repeat, not to meet a script for the first time: those that replace the lost are
        // young.
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
        // A hundred calls cost the one that made them more than the others use meanwhile.
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

    /** Those there are, once all of them have started: to start costs most, and to lose one that starts is another matter. */
    private List<WorkerProcessHandle> awaitReadyWorkers() throws Exception {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        List<WorkerProcessHandle> found = testBed.service().workers();
        while (testBed.client().gauges().readyWorkers() < found.size() && System.nanoTime() < end) {
            Thread.sleep(POLL_MILLIS);
            found = testBed.service().workers();
        }
        return found;
    }

    /** When the script goes on, as its output says. */
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
        // What was not hit in time ran once.
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
