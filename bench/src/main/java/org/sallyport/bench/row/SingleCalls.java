package org.sallyport.bench.row;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.function.LongFunction;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.Measured;
import org.sallyport.bench.measure.Operation;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Reply;
import org.sallyport.bench.service.Script;

/** P4: a script that is nothing but a call, submitted and waited for, one at a time: no script engine is started for it. */
public final class SingleCalls {
    private static final double P50_MILLIS = 3;

    private SingleCalls() {}

    /** Measures both ways to write one for a while. */
    public static Result measure(TestBed bed, Stretch stretch) throws Exception {
        return Result.all(
                measure(bed, stretch, "one call as JSON", "direct", Script::call),
                measure(bed, stretch, "one call as a statement", "simple", Script::simple));
    }

    private static Result measure(TestBed bed, Stretch stretch, String what, String tier, LongFunction<Script> script)
            throws Exception {
        Operation once = number -> {
            Reply reply = bed.client().run(script.apply(number));
            check(reply.body(), tier, number);
            return reply.nanos();
        };
        ClosedLoop loop = new ClosedLoop(1);
        Compared compared = Compared.take(
                stretch.rounds(),
                bed.service(),
                () -> loop.during(stretch.service(), once),
                () -> loop.during(stretch.floor(), bed.jdbc()));
        Measured all = compared.turns().load();
        Beside commits = new Beside(
                "two commits",
                compared.turns().floor().latencies().p50(),
                compared.turns().ratio(round -> round.latencies().p50()));
        Figure p50 = new Figure("p50", all.latencies().p50(), "ms", Target.atMost(P50_MILLIS)).beside(commits);
        return Result.of(
                new Row("P4", what + ", submit and wait, c=1", all.count(), compared.cpuMillis(), List.of(p50)));
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
