package org.sallyport.bench.row;

import java.time.Duration;
import java.util.List;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.Measured;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Reply;
import org.sallyport.bench.service.Script;

/** P12: cancel of a script that never ends by itself, from the request to the terminal state. */
public final class EndlessScripts {
    private static final double P50_MILLIS = 100;
    private static final double MOST_MILLIS = 2_000;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long STEP_MILLIS = 20;

    private EndlessScripts() {}

    /** Cancels so many, one after the other. */
    public static Result measure(TestBed bed, int scripts) throws Exception {
        CpuMeter cpu = CpuMeter.of(bed.service());
        Measured cancels = cpu.during(() -> new ClosedLoop(1).times(scripts, number -> cancel(bed.client())));
        return Result.of(new Row(
                "P12",
                "cancel of while(true){}",
                cancels.count(),
                cpu.each(cancels.count()),
                List.of(
                        new Figure("p50", cancels.latencies().p50(), "ms", Target.atMost(P50_MILLIS)),
                        new Figure("longest", cancels.latencies().max(), "ms", Target.atMost(MOST_MILLIS)))));
    }

    private static long cancel(Client client) throws Exception {
        String id = client.submit(Script.endless()).id();
        awaitLoop(client, id);
        long start = System.nanoTime();
        client.cancel(id);
        Reply end = client.ended(id);
        long nanos = System.nanoTime() - start;
        if (!"CANCELLED".equals(end.state())) {
            throw new WrongResultException("not cancelled: " + end.body());
        }
        return nanos;
    }

    /** Its output says that the loop is next. */
    private static void awaitLoop(Client client, String id) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (client.execution(id).body().path("outputLength").asLong() == 0) {
            if (System.nanoTime() > end) {
                throw new WrongResultException("a script did not begin within " + PATIENCE.toSeconds() + " s: " + id);
            }
            Thread.sleep(STEP_MILLIS);
        }
    }
}
