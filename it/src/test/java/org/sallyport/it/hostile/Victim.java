package org.sallyport.it.hostile;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Submission;

/**
 * An honest user of the same tenant in the same service: always one execution that lives for some seconds and calls a tool ten times
 * a second, and ten times a second a trivial script that is submitted and waited for. Both notice every wrong answer.
 */
final class Victim implements AutoCloseable {
    private static final long EVERY_MILLIS = 100;
    private static final long LOOK_MILLIS = 500;
    private static final int PROBES_AT_ONCE = 4;
    private static final double P99 = 0.99;

    /** Prints when each call was made and how long it took. Lives for some seconds, then another takes its place. */
    private static final String LIVING = """
            for (let n = 0; n < 100; n++) {
              const before = Date.now();
              const answer = await demo.echo({ n, mine: args });
              if (answer.n !== n || answer.mine !== args) throw new Error('a wrong answer: ' + JSON.stringify(answer));
              console.log(before + ' ' + (Date.now() - before));
              await sleep(100);
            }
            """;

    /** One look at the service. */
    private record Sample(long at, long millis) {}

    /**
     * How the victim did in some time.
     *
     * @param p99 milliseconds; empty when it was not probed in that time
     */
    record Pace(OptionalLong p99, int failures) {}

    private record Failure(long at, String what) {}

    private final Api api;
    private final String canary;
    private final ScheduledExecutorService prober = Executors.newScheduledThreadPool(PROBES_AT_ONCE + 1);
    private final ConcurrentLinkedQueue<Sample> samples = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Failure> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private volatile String living;
    private long read;

    private Victim(Arena arena) {
        api = arena.api();
        canary = arena.canaries().plant("beside");
        living = begin();
    }

    /** Starts to live and to be probed. */
    static Victim of(Arena arena) {
        Victim victim = new Victim(arena);
        for (int lane = 0; lane < PROBES_AT_ONCE; lane++) {
            victim.prober.scheduleAtFixedRate(
                    victim::probe, lane * EVERY_MILLIS, PROBES_AT_ONCE * EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
        victim.prober.scheduleWithFixedDelay(victim::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        return victim;
    }

    private String begin() {
        String id = api.submit(Submission.javascript(LIVING)
                .args(Json.write(Json.array().add(canary).get(0)))
                .limit("wallMillis", 600_000));
        api.awaitOutput(id, " ");
        return id;
    }

    private void probe() {
        int number = numbers.incrementAndGet();
        long at = System.currentTimeMillis();
        try {
            Answer answer = api.send(api.submission(
                    Submission.javascript("return args * 2;")
                            .args(Integer.toString(number))
                            .json(),
                    "Prefer",
                    "wait=20"));
            JsonNode execution = answer.status() == 202
                    ? api.awaitEnd(answer.json().path("id").asText())
                    : answer.expect(200).json();
            samples.add(new Sample(at, System.currentTimeMillis() - at));
            if (!execution.path("state").asText().equals("COMPLETED")
                    || execution.path("result").asInt() != number * 2) {
                failures.add(new Failure(at, execution.toString()));
            }
        } catch (RuntimeException | AssertionError e) {
            failures.add(new Failure(at, e.toString()));
        }
    }

    private void look() {
        try {
            lookAtTheLiving();
        } catch (RuntimeException | AssertionError e) {
            failures.add(new Failure(System.currentTimeMillis(), e.toString()));
        }
    }

    /** One that has ended badly is a failure; another takes the place of one that has ended. */
    private synchronized void lookAtTheLiving() {
        JsonNode now = api.get(Api.EXECUTIONS + "/" + living + "?outputOffset=" + read)
                .expect(200)
                .json();
        read = now.path("outputLength").asLong();
        for (String line : now.path("output").asText().split("\n", -1)) {
            String[] words = line.split(" ", -1);
            if (words.length == 2 && words[0].matches("\\d{13}") && words[1].matches("\\d{1,9}")) {
                samples.add(new Sample(Long.parseLong(words[0]), Long.parseLong(words[1])));
            }
        }
        if (Api.ended(now)) {
            if (!now.path("state").asText().equals("COMPLETED")) {
                failures.add(new Failure(
                        System.currentTimeMillis(), now.path("error").toString()));
            }
            living = begin();
            read = 0;
        }
    }

    /** How it did from one moment to another, in milliseconds since 1970. */
    Pace pace(long from, long to) {
        List<Long> millis = new ArrayList<>(samples.stream()
                .filter(sample -> sample.at() + sample.millis() >= from && sample.at() <= to)
                .map(Sample::millis)
                .sorted()
                .toList());
        OptionalLong p99 = millis.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(millis.get((int) Math.ceil(P99 * millis.size()) - 1));
        return new Pace(p99, (int) failures.stream()
                .filter(failure -> failure.at() >= from && failure.at() <= to)
                .count());
    }

    /** What went wrong, each once. */
    List<String> failures() {
        return failures.stream().map(Failure::what).distinct().toList();
    }

    /** How often it was probed. */
    int probes() {
        return samples.size();
    }

    @Override
    public void close() {
        prober.shutdown();
        try {
            if (!prober.awaitTermination(120, TimeUnit.SECONDS)) {
                failures.add(new Failure(System.currentTimeMillis(), "a probe had no answer for 120 s"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        look();
        api.cancel(living);
    }
}
