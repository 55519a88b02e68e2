package org.sallyport.bench.row;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.Measured;
import org.sallyport.bench.measure.Operation;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Reply;
import org.sallyport.bench.service.Script;

/** P1: a trivial script, submitted and waited for, one at a time; and where its time goes. */
public final class SubmitAndWait {
    private static final double P50_MILLIS = 4;
    private static final double P99_MILLIS = 20;
    private static final int STAGED = 100;

    private SubmitAndWait() {}

    /** Measures for a while. */
    public static Result measure(TestBed bed, Stretch stretch) throws Exception {
        Queue<Reply> replies = new ConcurrentLinkedQueue<>();
        Operation once = number -> {
            Reply reply = bed.client().run(Script.trivial(number)).expectResult(number + 1);
            replies.add(reply);
            return reply.nanos();
        };
        ClosedLoop loop = new ClosedLoop(1);
        Compared compared = Compared.take(
                stretch.rounds(),
                bed.service(),
                () -> loop.during(stretch.service(), once),
                () -> loop.during(stretch.floor(), bed.jdbc()));
        Measured all = compared.turns().load();
        List<Reply> last =
                replies.stream().skip(Math.max(0, replies.size() - STAGED)).toList();
        Beside commits = new Beside(
                "two commits",
                compared.turns().floor().latencies().p50(),
                compared.turns().ratio(round -> round.latencies().p50()));
        Row row = new Row(
                "P1",
                "submit and wait, trivial script, c=1",
                all.count(),
                compared.cpuMillis(),
                List.of(
                        new Figure("p50", all.latencies().p50(), "ms", Target.atMost(P50_MILLIS)).beside(commits),
                        new Figure("p99", all.latencies().p99(), "ms", Target.atMost(P99_MILLIS))));
        return new Result(
                List.of(row), List.of(compared.floor("two commits on H2, c=1")), Stages.of(bed.client(), last));
    }
}
