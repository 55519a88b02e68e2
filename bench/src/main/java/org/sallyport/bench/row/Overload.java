package org.sallyport.bench.row;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.sallyport.bench.measure.Arrivals;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.Measured;
import org.sallyport.bench.measure.OpenLoop;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Answer;
import org.sallyport.bench.service.Census;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Script;
import org.sallyport.bench.service.Service;

/**
 * P13: ten times as many scripts as a service can run, whether or not it answers: what they are told, what it holds meanwhile, and when
 * it is itself again. The scripts hold places rather than compute, so that one small machine can both offer too much and refuse it.
 */
public final class Overload {
    private static final int PLACES = 8;
    private static final int QUEUED = 400;
    private static final long HOLD_MILLIS = 100;

    /** What the service of this row is started with: limits that so many scripts reach. */
    public static final Map<String, Integer> SETTINGS =
            Map.of("sallyport.runner.live", PLACES, "sallyport.limits.queued", QUEUED);

    private static final double TIMES = 10;
    /** A schedule is kept to some milliseconds, and offered must be at least so many times as much. */
    private static final double MARGIN = 1.02;

    private static final int MOST_UNDER_WAY = 256;
    private static final int LANES = 4 * PLACES;
    private static final int LOOK_AT_EVERY = 10;
    private static final Duration CAPACITY = Duration.ofSeconds(3);
    private static final Duration USUAL = Duration.ofSeconds(1);
    private static final Duration RECOVERY = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long STEP_MILLIS = 50;
    private static final long LIST_MILLIS = 1_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final Service service;
    private final Client client;
    private final Answers answers = new Answers();
    private final ClosedLoop one = new ClosedLoop(1);
    private final ClosedLoop many = new ClosedLoop(LANES);
    private final Map<Long, String> looked = new ConcurrentHashMap<>();

    private Overload(Service service, Client client) {
        this.service = service;
        this.client = client;
    }

    /**
     * Offers too much for a while.
     *
     * @param service with {@link #SETTINGS}, and new: all that it lists is of this row
     * @param time of the overload
     * @param warmUp how long the service works before anything counts
     */
    public static Result measure(Service service, Client client, Duration time, Duration warmUp) throws Exception {
        Overload row = new Overload(service, client);
        row.warmUp(warmUp);
        double usual = row.one.during(USUAL, row::trivial).latencies().p50();
        double capacity = row.many.during(CAPACITY, row::holding).perSecond();
        return Result.of(row.overloaded(time, usual, capacity));
    }

    /** By what computes, and as much as it takes: those that only hold a place are too few to have anything compiled. */
    private void warmUp(Duration time) throws Exception {
        many.during(time, this::trivial);
        many.during(time.dividedBy(2), this::holding);
    }

    private long trivial(long number) throws Exception {
        return client.run(Script.trivial(number)).expectResult(number + 1).nanos();
    }

    private long holding(long number) throws Exception {
        return client.run(Script.holding(number, HOLD_MILLIS))
                .expectResult(number)
                .nanos();
    }

    private Row overloaded(Duration time, double usual, double capacity) throws Exception {
        OpenLoop loop = new OpenLoop(TIMES * MARGIN * capacity, MOST_UNDER_WAY);
        CpuMeter cpu = CpuMeter.of(service);
        // Not before it: the caches of a service of which little is asked are empty.
        CompletableFuture<Held> early = CompletableFuture.supplyAsync(
                () -> Held.by(service), CompletableFuture.delayedExecutor(time.toMillis() / 3, TimeUnit.MILLISECONDS));
        Measured load = cpu.during(() -> loop.during(time, new Offers()));
        List<Figure> figures = new ArrayList<>(figures(load, capacity));
        figures.add(
                new Figure("as quick as before after", untilNormal(usual), "s", Target.atMost(RECOVERY.toSeconds())));
        figures.addAll(Held.by(service).beside(early.get(), "a third in"));
        checkEnds();
        return new Row(
                "P13",
                String.format("ten times too much for %,d s", time.toSeconds()),
                load.count(),
                cpu.each(load.count()),
                figures);
    }

    private List<Figure> figures(Measured load, double capacity) {
        return List.of(
                new Figure("offered", load.perSecond(), "/s", Target.atLeast(TIMES * capacity))
                        .beside(new Beside("it runs", capacity, load.perSecond() / capacity)),
                new Figure("answered 202", answers.of(Answers.ACCEPTED), "", Target.none()),
                new Figure("answered 429", answers.of(Answers.TOO_MANY), "", Target.none()),
                new Figure("answered 503", answers.of(Answers.UNAVAILABLE), "", Target.none()),
                new Figure("p99 of the answers", load.latencies().p99(), "ms", Target.none()));
    }

    /** Sends without waiting, and takes whatever may be said. */
    private final class Offers implements Arrivals<Answer> {
        @Override
        public CompletableFuture<Answer> begin(long number) {
            return client.offer(Script.holding(number, HOLD_MILLIS));
        }

        @Override
        public void take(long number, Answer answer) throws WrongResultException {
            answers.take(answer);
            if (answer.accepted() && number % LOOK_AT_EVERY == 0) {
                looked.put(number, answer.reply().id());
            }
        }
    }

    /** Seconds from now; those that were waited where it did not come to that. */
    private double untilNormal(double usual) throws Exception {
        long start = System.nanoTime();
        Recovery recovery = new Recovery(usual);
        for (long number = 0; !recovery.reached() && System.nanoTime() - start < PATIENCE.toNanos(); number++) {
            Answer answer = client.attempt(Script.trivial(number));
            answers.take(answer);
            if (answer.reply().ended()) {
                answer.reply().expectResult(number + 1);
                recovery.served(answer.reply().nanos());
            } else {
                recovery.refused();
                Thread.sleep(STEP_MILLIS);
            }
        }
        return (System.nanoTime() - start) / NANOS_PER_SECOND;
    }

    /** Nothing is lost or done twice, and who was accepted gets his own result: of some, since they are looked at one by one. */
    private void checkEnds() throws Exception {
        long limit = System.nanoTime() + PATIENCE.toNanos();
        Census census = Census.take(client);
        while (census.of("COMPLETED") < Math.max(census.total(), client.submitted()) && System.nanoTime() < limit) {
            Thread.sleep(LIST_MILLIS);
            census = Census.take(client);
        }
        answers.check(census, client.submitted());
        for (Map.Entry<Long, String> accepted : looked.entrySet()) {
            client.execution(accepted.getValue()).expectResult(accepted.getKey());
        }
    }
}
