package org.sallyport.bench.row;

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
import org.sallyport.bench.measure.Latencies;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Reply;
import org.sallyport.bench.service.Script;

/**
 * P8: executions that are parked: how fast they come to be, what they hold, and how late those beside them end whose time has
 * come. Others are measured while they sleep.
 */
public final class Sleepers {
    private static final int SUBMITTERS = 8;
    private static final int STRAGGLERS = 40;
    private static final long LONG_MILLIS = TimeUnit.DAYS.toMillis(3);
    /** To ask where one stands in a long queue costs the service more than to work it off. */
    private static final long STEP_MILLIS = 250;

    private static final long SUBMITTING_MILLIS = 500;
    private static final Duration PATIENCE = Duration.ofMinutes(30);
    /** Of fewer the heap tells nothing: what else comes and goes is larger. */
    private static final int MANY = 10_000;

    private static final double KILOBYTES = 2;
    private static final double WOKEN_MILLIS = 20;
    private static final double KILOBYTE = 1_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final TestBed bed;
    private final Nap nap;
    private final ClosedLoop lanes = new ClosedLoop(SUBMITTERS);
    private final Map<Long, String> ids = new ConcurrentHashMap<>();
    private final List<Figure> figures = new ArrayList<>();
    private OptionalDouble cpu = OptionalDouble.empty();
    private long begunMillis;

    private Sleepers(TestBed bed, Nap nap) {
        this.bed = bed;
        this.nap = nap;
    }

    /** Parks them, and has the others sleep. */
    public static Sleepers begin(TestBed bed, Nap nap) throws Exception {
        Sleepers sleepers = new Sleepers(bed, nap);
        OptionalLong before =
                nap.parked() < MANY ? OptionalLong.empty() : bed.service().liveHeap();
        sleepers.park();
        if (before.isPresent()) {
            double bytes = bed.service().liveHeap().orElse(0) - before.getAsLong();
            sleepers.figures.add(
                    new Figure("heap each", bytes / KILOBYTE / nap.parked(), "KB", Target.atMost(KILOBYTES)));
        }
        sleepers.haveOthersSleep();
        return sleepers;
    }

    private void park() throws Exception {
        Client client = bed.client();
        long already = client.gauges().parked();
        CpuMeter meter = CpuMeter.of(bed.service());
        Duration took = meter.during(() -> {
            Instant begun = Instant.now();
            lanes.times(nap.parked(), number -> {
                ids.put(number, client.submit(Script.sleeping(LONG_MILLIS)).id());
                return 0;
            });
            Instant last = Instant.MIN;
            for (long number = Math.max(0, nap.parked() - STRAGGLERS); number < nap.parked(); number++) {
                Instant since = parked(ids.getOrDefault(number, ""));
                last = since.isAfter(last) ? since : last;
            }
            return Duration.between(begun, last);
        });
        while (client.gauges().parked() < already + nap.parked()) {
            Thread.sleep(STEP_MILLIS);
        }
        cpu = meter.each(nap.parked());
        figures.add(new Figure("parked", nap.parked() * NANOS_PER_SECOND / took.toNanos(), "/s", Target.none()));
    }

    /** When it came to be; asked for until it is. */
    private Instant parked(String id) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            Reply reply = bed.client().execution(id);
            if (reply.state().equals("WAITING")) {
                return Instant.parse(
                        reply.body().path("waitingFor").path("since").asText());
            } else if (reply.ended()) {
                throw new WrongResultException("a sleeper woke: " + reply.body());
            }
            Thread.sleep(STEP_MILLIS);
        }
        throw new WrongResultException("not parked within " + PATIENCE.toMinutes() + " minutes: " + id);
    }

    private void haveOthersSleep() throws Exception {
        ids.clear();
        long apart = nap.spread().toMillis() / Math.max(1, nap.woken());
        begunMillis = System.currentTimeMillis();
        lanes.times(nap.woken(), number -> {
            // Apart in their ends, however fast they are submitted.
            long until = begunMillis + nap.sleep().toMillis() + SUBMITTING_MILLIS + number * apart;
            long millis = Math.max(nap.sleep().toMillis(), until - System.currentTimeMillis());
            ids.put(number, bed.client().submit(Script.sleeping(millis)).id());
            return 0;
        });
    }

    /** Waits for those that wake. */
    public Result end() throws Exception {
        long last = begunMillis + nap.sleep().plus(nap.spread()).toMillis() + SUBMITTING_MILLIS;
        Thread.sleep(Math.max(0, last - System.currentTimeMillis()));
        Latencies late = new Latencies();
        for (long number = 0; number < nap.woken(); number++) {
            Reply end = bed.client().ended(ids.getOrDefault(number, ""));
            if (!end.state().equals("COMPLETED") || !end.body().path("result").isIntegralNumber()) {
                throw new WrongResultException("a sleeper did not wake well: " + end.body());
            }
            Instant due = Instant.ofEpochMilli(end.body().path("result").asLong());
            late.record(Duration.between(due, end.at("finishedAt")));
        }
        figures.add(new Figure("due to end, p50", late.p50(), "ms", Target.atMost(WOKEN_MILLIS)));
        figures.add(new Figure("due to end, p99", late.p99(), "ms", Target.none()));
        return Result.of(new Row(
                "P8",
                String.format("%,d parked, %,d others wake", nap.parked(), nap.woken()),
                (long) nap.parked() + nap.woken(),
                cpu,
                figures));
    }
}
