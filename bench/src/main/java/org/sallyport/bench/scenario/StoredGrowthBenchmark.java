package org.sallyport.bench.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.sallyport.bench.measure.AlternatingRuns;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LoopResult;
import org.sallyport.bench.measure.TimedOperation;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.TimedResponse;

/** P10: the same requests, alternately, to a service with many stored executions and to one with few. */
public final class StoredGrowthBenchmark {
    private static final double MAX_RATIO = 1.2;
    private static final int ROUNDS = 15;
    private static final int PAGE_SIZE = 50;
    private static final int POLLED = 1_000;
    private static final int CONCURRENCY = 8;

    private final FilledService few;
    private final FilledService many;
    private final Duration window;

    /** @param stretch duration of each request's loop in each round */
    public StoredGrowthBenchmark(FilledService few, FilledService many, Duration stretch) {
        this.few = few;
        this.many = many;
        this.window = stretch;
    }

    /**
     * One of the two services.
     *
     * @param stored number of executions that the service had stored before the measurement
     */
    public record FilledService(BenchmarkClient client, int stored) {}

    private interface ServiceRequest {
        TimedOperation operationFor(FilledService side) throws Exception;
    }

    /**
     * Warms up both services.
     *
     * @param time duration of the submits for each service; each other kind of request takes a quarter of it
     */
    public void warmUp(Duration time) throws Exception {
        for (FilledService side : List.of(few, many)) {
            new ClosedLoop(CONCURRENCY).runFor(time, submit(side));
            for (ServiceRequest request : List.<ServiceRequest>of(this::list, this::poll, this::listFailed)) {
                new ClosedLoop(1).runFor(time.dividedBy(4), request.operationFor(side));
            }
        }
    }

    /** Measures each kind of request. */
    public BenchmarkResult measure() throws Exception {
        List<ReportRow> rows = new ArrayList<>();
        rows.add(row("list, page of " + PAGE_SIZE, this::list));
        rows.add(row("list by a state that no execution has", this::listFailed));
        rows.add(row("poll", this::poll));
        rows.add(row("submit and wait, trivial script, c=1", this::submit));
        return new BenchmarkResult(rows, List.of(), List.of());
    }

    private ReportRow row(String what, ServiceRequest request) throws Exception {
        ClosedLoop loop = new ClosedLoop(1);
        TimedOperation large = request.operationFor(many);
        TimedOperation small = request.operationFor(few);
        AlternatingRuns turns =
                AlternatingRuns.run(ROUNDS, () -> loop.runFor(window, large), () -> loop.runFor(window, small));
        LoopResult all = turns.loadTotal();
        double ratio = turns.medianRatio(round -> round.latencies().p50());
        return new ReportRow(
                "P10",
                String.format(Locale.ROOT, "%s, %,d stored", what, many.stored()),
                all.count(),
                OptionalDouble.empty(),
                List.of(
                        new MeasuredValue("p50", all.latencies().p50(), "ms", PerformanceTarget.none())
                                .comparedWith(new BaselineComparison(
                                        String.format(Locale.ROOT, "%,d stored", few.stored()),
                                        turns.baselineTotal().latencies().p50(),
                                        ratio)),
                        new MeasuredValue("ratio to fewer stored", ratio, "×", PerformanceTarget.atMost(MAX_RATIO))));
    }

    private TimedOperation list(FilledService side) {
        return number -> timePage(side, "", PAGE_SIZE);
    }

    private TimedOperation listFailed(FilledService side) {
        return number -> timePage(side, "&state=FAILED", 0);
    }

    private static long timePage(FilledService side, String filter, int expected) throws Exception {
        TimedResponse page = side.client()
                .get("/api/v1/executions?limit=" + PAGE_SIZE + filter)
                .expectStatus(200);
        if (page.body().path("items").size() != expected) {
            throw new WrongResultException(
                    "a page of " + page.body().path("items").size() + " executions instead of " + expected);
        }
        return page.nanos();
    }

    private TimedOperation poll(FilledService side) throws Exception {
        List<String> ids =
                side.client().listNewest(POLLED).stream().map(TimedResponse::id).toList();
        return number -> {
            TimedResponse reply = side.client().execution(ids.get((int) (number % ids.size())));
            if (!reply.state().equals("COMPLETED")) {
                throw new WrongResultException("an execution is not COMPLETED: " + reply.body());
            }
            return reply.nanos();
        };
    }

    private TimedOperation submit(FilledService side) {
        return number -> side.client()
                .run(BenchmarkScript.trivial(number))
                .expectResult(number + 1)
                .nanos();
    }
}
