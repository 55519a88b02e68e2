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
import org.sallyport.bench.measure.Latencies;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Reply;
import org.sallyport.bench.service.Script;
import org.sallyport.bench.service.WorkerProcess;

/**
 * P9: a script loses its worker after a hundred journaled calls, while it sleeps. The worker is held until the sleep is over:
 * when the script has been repeated there is nothing left to wait for, and its next call says when that was.
 */
public final class Crashes {
    private static final int CALLS = 100;
    private static final long SLEEP_MILLIS = 2_000;
    /** By then the service has heard that the script does nothing: it does not count as what the worker died of. */
    private static final long SETTLED_MILLIS = 400;

    private static final long OVERDUE_MILLIS = 50;
    private static final long STEP_MILLIS = 20;
    private static final int ATTEMPTS = 3;
    private static final int LANES = 8;
    private static final int WARM_UPS = 32;
    private static final int WARM_UP_CALLS = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final double REPLAY_MILLIS = 50;

    private final TestBed bed;
    private final Latencies first = new Latencies();
    private final Latencies replay = new Latencies();
    private final Latencies whole = new Latencies();

    private Crashes(TestBed bed) {
        this.bed = bed;
    }

    /**
     * Lets so many scripts lose their workers, one after the other; gives nothing where workers are not to be seen.
     */
    public static Result measure(TestBed bed, int crashes) throws Exception {
        if (bed.service().workers().isEmpty()) {
            return Result.NOTHING;
        }
        Crashes row = new Crashes(bed);
        for (int tried = 0; row.replay.count() < crashes && tried < crashes * ATTEMPTS; tried++) {
            row.crash();
        }
        if (row.replay.count() == 0) {
            throw new WrongResultException("no script lost its worker in time");
        }
        double p50 = row.replay.p50();
        return Result.of(new Row(
                "P9",
                String.format("worker lost after %,d journaled calls", CALLS),
                row.replay.count(),
                OptionalDouble.empty(),
                List.of(
                        new Figure("claim to next call, p50", p50, "ms", Target.atMost(REPLAY_MILLIS))
                                .beside(new Beside("first run", row.first.p50(), p50 / row.first.p50())),
                        new Figure("crash to next call, p50", row.whole.p50(), "ms", Target.none()))));
    }

    private void crash() throws Exception {
        Client client = bed.client();
        // What is measured is to repeat, not to meet a script for the first time: those that replace the lost are
        // young.
        new ClosedLoop(LANES)
                .times(
                        WARM_UPS,
                        number -> client.run(Script.reading(WARM_UP_CALLS))
                                .expectResult(WARM_UP_CALLS)
                                .nanos());
        Map<Long, Double> before =
                workers().stream().collect(Collectors.toMap(WorkerProcess::pid, WorkerProcess::cpuMillis));
        String id = client.submit(Script.pausing(CALLS, SLEEP_MILLIS)).id();
        long due = due(id);
        // A hundred calls cost the one that made them more than the others use meanwhile.
        Optional<WorkerProcess> busiest = bed.service().workers().stream()
                .max(Comparator.comparingDouble(worker -> worker.cpuMillis() - before.getOrDefault(worker.pid(), 0.0)));
        Thread.sleep(SETTLED_MILLIS);
        Instant crashed = Instant.MAX;
        if (busiest.isPresent() && System.currentTimeMillis() < due) {
            busiest.get().hold();
            Thread.sleep(Math.max(0, due + OVERDUE_MILLIS - System.currentTimeMillis()));
            crashed = Instant.now();
            busiest.get().kill();
        }
        client.ended(id).expectResult(CALLS);
        note(client.wholeTrace(id), crashed);
    }

    /** Those there are, once all of them have started: to start costs most, and to lose one that starts is another matter. */
    private List<WorkerProcess> workers() throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        List<WorkerProcess> found = bed.service().workers();
        while (bed.client().gauges().readyWorkers() < found.size() && System.nanoTime() < end) {
            Thread.sleep(STEP_MILLIS);
            found = bed.service().workers();
        }
        return found;
    }

    /** When the script goes on, as its output says. */
    private long due(String id) throws Exception {
        while (true) {
            Reply reply = bed.client().execution(id);
            String said = reply.body().path("output").asText().strip();
            if (!said.isEmpty()) {
                return Long.parseLong(said);
            } else if (reply.ended()) {
                throw new WrongResultException("a script ended before it slept: " + reply.body());
            }
            Thread.sleep(STEP_MILLIS);
        }
    }

    private void note(List<JsonNode> trace, Instant crashed) throws WrongResultException {
        List<Instant> runs = trace.stream()
                .filter(event -> event.path("state").asText().equals("RUNNING"))
                .map(Crashes::at)
                .toList();
        List<Instant> calls = trace.stream()
                .filter(event -> event.path("type").asText().equals("tool_start"))
                .map(Crashes::at)
                .toList();
        if (calls.size() != CALLS + 1) {
            throw new WrongResultException("a trace with " + calls.size() + " calls instead of " + (CALLS + 1));
        }
        // What was not hit in time ran once.
        if (runs.size() == 2) {
            first.record(Duration.between(runs.get(0), calls.get(CALLS - 1)));
            replay.record(Duration.between(runs.get(1), calls.get(CALLS)));
            whole.record(Duration.between(crashed, calls.get(CALLS)));
        }
    }

    private static Instant at(JsonNode event) {
        return Instant.parse(event.path("at").asText());
    }
}
