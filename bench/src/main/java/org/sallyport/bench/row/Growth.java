package org.sallyport.bench.row;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.Measured;
import org.sallyport.bench.measure.Operation;
import org.sallyport.bench.measure.Turns;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Reply;
import org.sallyport.bench.service.Script;

/** P10: the same requests to a service that has stored many executions and to one that has stored few, by turns. */
public final class Growth {
    private static final double RATIO = 1.2;
    private static final int ROUNDS = 15;
    private static final int PAGE = 50;
    private static final int POLLED = 1_000;
    private static final int LANES = 8;

    private final Side few;
    private final Side many;
    private final Duration stretch;

    /**
     * @param stretch how long each request is repeated in each turn
     */
    public Growth(Side few, Side many, Duration stretch) {
        this.few = few;
        this.many = many;
        this.stretch = stretch;
    }

    /**
     * One of the two services.
     *
     * @param stored executions that it had stored before anything was measured
     */
    public record Side(Client client, int stored) {}

    private interface Request {
        Operation to(Side side) throws Exception;
    }

    /** Lets both meet their work, for so long each. */
    public void warmUp(Duration time) throws Exception {
        for (Side side : List.of(few, many)) {
            new ClosedLoop(LANES).during(time, submit(side));
            for (Request request : List.<Request>of(this::list, this::poll, this::failed)) {
                new ClosedLoop(1).during(time.dividedBy(4), request.to(side));
            }
        }
    }

    /** Measures each kind of request. */
    public Result measure() throws Exception {
        List<Row> rows = new ArrayList<>();
        rows.add(row("list, page of " + PAGE, this::list));
        rows.add(row("list of those in a state that none has", this::failed));
        rows.add(row("poll", this::poll));
        rows.add(row("submit and wait, trivial script, c=1", this::submit));
        return new Result(rows, List.of(), List.of());
    }

    private Row row(String what, Request request) throws Exception {
        ClosedLoop loop = new ClosedLoop(1);
        Operation large = request.to(many);
        Operation small = request.to(few);
        Turns turns = Turns.take(ROUNDS, () -> loop.during(stretch, large), () -> loop.during(stretch, small));
        Measured all = turns.load();
        double ratio = turns.ratio(round -> round.latencies().p50());
        return new Row(
                "P10",
                String.format(Locale.ROOT, "%s, %,d stored", what, many.stored()),
                all.count(),
                OptionalDouble.empty(),
                List.of(
                        new Figure("p50", all.latencies().p50(), "ms", Target.none())
                                .beside(new Beside(
                                        String.format(Locale.ROOT, "%,d stored", few.stored()),
                                        turns.floor().latencies().p50(),
                                        ratio)),
                        new Figure("beside few", ratio, "×", Target.atMost(RATIO))));
    }

    private Operation list(Side side) {
        return number -> page(side, "", PAGE);
    }

    private Operation failed(Side side) {
        return number -> page(side, "&state=FAILED", 0);
    }

    private static long page(Side side, String filter, int expected) throws Exception {
        Reply page =
                side.client().get("/api/v1/executions?limit=" + PAGE + filter).expect(200);
        if (page.body().path("items").size() != expected) {
            throw new WrongResultException(
                    "a page of " + page.body().path("items").size() + " instead of " + expected);
        }
        return page.nanos();
    }

    private Operation poll(Side side) throws Exception {
        List<String> ids =
                side.client().youngest(POLLED).stream().map(Reply::id).toList();
        return number -> {
            Reply reply = side.client().execution(ids.get((int) (number % ids.size())));
            if (!reply.state().equals("COMPLETED")) {
                throw new WrongResultException("not completed: " + reply.body());
            }
            return reply.nanos();
        };
    }

    private Operation submit(Side side) {
        return number -> side.client()
                .run(Script.trivial(number))
                .expectResult(number + 1)
                .nanos();
    }
}
