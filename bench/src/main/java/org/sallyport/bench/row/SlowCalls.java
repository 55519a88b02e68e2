package org.sallyport.bench.row;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.Measured;
import org.sallyport.bench.measure.Turns;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Gauges;
import org.sallyport.bench.service.Script;
import org.sallyport.bench.service.Usage;

/** P7: executions that wait on a slow tool at one time: what they hold, and how a trivial script fares beside them. */
public final class SlowCalls {
    private static final int SUBMITTERS = 8;
    private static final long STEP_MILLIS = 50;
    /** For the looks at what they hold. */
    private static final Duration LOOKING = Duration.ofMillis(1_500);
    /** A call that takes longer may be given up. */
    private static final Duration LONGEST = Duration.ofSeconds(25);

    /** Of fewer the heap tells nothing: caches of the database alone come and go by some megabytes. */
    private static final int MANY = 1_000;

    private static final double KILOBYTES = 100;
    private static final double FOR_EACH_THREAD = 10;
    private static final double RATIO = 1.5;
    private static final double KILOBYTE = 1_000;

    private final TestBed bed;
    private final Crowd crowd;
    private final ClosedLoop one = new ClosedLoop(1);
    private final ClosedLoop many = new ClosedLoop(SUBMITTERS);
    private Duration life = LONGEST;
    private long waiting = Long.MAX_VALUE;
    private final LongSummaryStatistics heaps = new LongSummaryStatistics();
    private final OptionalLong beginning;
    private Optional<Usage> without = Optional.empty();
    private Optional<Usage> with = Optional.empty();

    private SlowCalls(TestBed bed, Crowd crowd) {
        this.bed = bed;
        this.crowd = crowd;
        this.beginning = bed.service().liveHeap();
    }

    /** Measures by turns beside the crowd and without it. */
    public static Result measure(TestBed bed, Crowd crowd) throws Exception {
        SlowCalls row = new SlowCalls(bed, crowd);
        row.rehearse();
        Turns turns = Turns.take(crowd.rounds(), row::amongTheCrowd, row::alone);
        return Result.of(new Row(
                "P7",
                String.format("%,d waiting on a slow tool", crowd.size()),
                (long) crowd.size() * crowd.rounds(),
                OptionalDouble.empty(),
                row.figures(turns)));
    }

    /** How long they must wait so that all do at one time, nobody knows: as many that do not wait tell it, and start the workers. */
    private void rehearse() throws Exception {
        Duration once = many.times(crowd.size(), this::trivial).elapsed();
        Duration wanted = once.multipliedBy(2).plus(crowd.stretch()).plus(LOOKING);
        life = wanted.compareTo(LONGEST) < 0 ? wanted : LONGEST;
    }

    private Measured alone() throws Exception {
        return one.during(crowd.stretch(), this::trivial);
    }

    private long trivial(long number) throws Exception {
        return bed.client().run(Script.trivial(number)).expectResult(number + 1).nanos();
    }

    private Measured amongTheCrowd() throws Exception {
        Client client = bed.client();
        Optional<Usage> before = bed.service().usage();
        long until = System.currentTimeMillis() + life.toMillis();
        Map<Long, String> ids = new ConcurrentHashMap<>();
        many.times(crowd.size(), number -> {
            ids.put(number, client.submit(Script.slow(number, until)).id());
            return 0;
        });
        Gauges gauges = client.gauges();
        // A machine that is too slow to have them all at one time is no reason to fail: the row says how many there
        // were.
        while (gauges.openCalls() < crowd.size()
                && System.currentTimeMillis() + crowd.stretch().toMillis() < until) {
            Thread.sleep(STEP_MILLIS);
            gauges = client.gauges();
        }
        if (without.isEmpty()) {
            // Of the first crowd alone: what Java VMs took for it they keep for the next.
            without = before;
            with = bed.service().usage();
        }
        OptionalLong heap = bed.service().liveHeap();
        if (beginning.isPresent() && heap.isPresent()) {
            heaps.accept(heap.getAsLong() - beginning.getAsLong());
        }
        Measured fresh = one.during(crowd.stretch(), this::trivial);
        waiting = Math.min(waiting, Math.min(gauges.openCalls(), client.gauges().openCalls()));
        many.times(crowd.size(), number -> {
            client.ended(ids.getOrDefault(number, "")).expectResult(number);
            return 0;
        });
        return fresh;
    }

    private List<Figure> figures(Turns turns) {
        List<Figure> figures = new ArrayList<>();
        double ratio = turns.ratio(round -> round.latencies().p50());
        figures.add(new Figure("fresh p50 / alone", ratio, "×", Target.atMost(RATIO)));
        figures.add(new Figure("fresh p50", turns.load().latencies().p50(), "ms", Target.none())
                .beside(new Beside("alone", turns.floor().latencies().p50(), ratio)));
        figures.add(new Figure("waiting at once", waiting, "", Target.atLeast(crowd.size())));
        if (heaps.getCount() > 0 && crowd.size() >= MANY) {
            figures.add(new Figure("server heap each", each(heaps.getAverage()), "KB", Target.atMost(KILOBYTES)));
        }
        if (without.isPresent() && with.isPresent()) {
            figures.add(new Figure(
                    "RSS of " + with.get().workers() + " workers, each",
                    each((double) with.get().allWorkersBytes() - without.get().allWorkersBytes()),
                    "KB",
                    Target.atMost(KILOBYTES)));
            figures.add(new Figure(
                    "threads more than " + without.get().threads(),
                    with.get().threads() - without.get().threads(),
                    "",
                    Target.atMost(crowd.size() / FOR_EACH_THREAD)));
        }
        return figures;
    }

    private double each(double bytes) {
        return bytes / KILOBYTE / crowd.size();
    }
}
