package org.sallyport.it.security;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/**
 * Simulates a legitimate user during all attacks. One execution at a time lives for some seconds and calls a tool ten
 * times a second. In addition, trivial scripts are submitted and awaited. The load records the latencies and every
 * wrong response.
 */
final class BystanderLoad implements AutoCloseable {
    /** How often each lane submits a script. */
    private static final long PROBE_INTERVAL_MILLIS = 400;

    private static final long POLL_INTERVAL_MILLIS = 500;
    private static final int LANES_OF_VICTIM = 1;
    /** Ten scripts a second. */
    private static final int LANES_OF_BYSTANDER = 4;

    private static final int MAX_ATTEMPTS = 10;

    private static final double P99 = 0.99;

    /**
     * Prints when each call was made and how long it took. Ends after some seconds; another execution then replaces it.
     */
    private static final String LONG_RUNNING_SCRIPT = """
            for (let n = 0; n < 100; n++) {
              const before = Date.now();
              const answer = await demo.echo({ n, mine: args });
              if (answer.n !== n || answer.mine !== args) throw new Error('a wrong answer: ' + JSON.stringify(answer));
              console.log(before + ' ' + (Date.now() - before));
              await sleep(100);
            }
            """;

    /** One measured latency, with its time in milliseconds since 1970. */
    private record LatencySample(long atMillis, long millis) {}

    /**
     * Latencies and failures in a period.
     *
     * @param p99 milliseconds; empty if there was no sample in the period
     */
    record LatencySummary(OptionalLong p99, int failures) {}

    private record BystanderFailure(long atMillis, String message) {}

    private final RestClient api;
    private final String canary;
    private final boolean repeatsRefused;
    private final ScheduledExecutorService prober;
    private final ConcurrentLinkedQueue<LatencySample> samples = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<BystanderFailure> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger probeCounter = new AtomicInteger();
    private volatile String longRunningId;
    private long outputOffset;

    /**
     * @param repeatsRefused whether a refused submission is repeated. The users of a tenant share its part of the
     *     memory for bodies.
     */
    private BystanderLoad(RestClient api, String canary, int lanes, boolean repeatsRefused) {
        this.api = api;
        this.canary = canary;
        this.repeatsRefused = repeatsRefused;
        prober = Executors.newScheduledThreadPool(lanes + 1);
        longRunningId = startLongRunning();
        for (int lane = 0; lane < lanes; lane++) {
            prober.scheduleAtFixedRate(
                    this::probe, lane * PROBE_INTERVAL_MILLIS / lanes, PROBE_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        }
        prober.scheduleWithFixedDelay(
                this::pollSafely, POLL_INTERVAL_MILLIS, POLL_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Starts the load of a user of the attacking tenant, who shares its limits and its workers with the attacker. */
    static BystanderLoad ofVictim(SecurityTestServer arena) {
        return new BystanderLoad(arena.api(), arena.leakDetector().plantCanary("beside"), LANES_OF_VICTIM, true);
    }

    /** Starts the load of a user of another tenant. */
    static BystanderLoad ofBystander(SecurityTestServer arena) {
        return new BystanderLoad(
                arena.otherApi(), arena.leakDetector().plantCanary("elsewhere"), LANES_OF_BYSTANDER, false);
    }

    private String startLongRunning() {
        String id = api.submit(SubmissionBody.javascript(LONG_RUNNING_SCRIPT)
                .args(TestJson.write(TestJson.array().add(canary).get(0)))
                .limit("wallMillis", 600_000));
        api.awaitOutput(id, " ");
        return id;
    }

    private void probe() {
        int number = probeCounter.incrementAndGet();
        long at = System.currentTimeMillis();
        try {
            RestResponse answer = submit(number);
            JsonNode execution = answer.status() == 202
                    ? api.awaitEnd(answer.json().path("id").asText())
                    : answer.expectStatus(200).json();
            samples.add(new LatencySample(at, System.currentTimeMillis() - at));
            if (!execution.path("state").asText().equals("COMPLETED")
                    || execution.path("result").asInt() != number * 2) {
                failures.add(new BystanderFailure(at, execution.toString()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError e) {
            failures.add(new BystanderFailure(at, e.toString()));
        }
    }

    /** Submits a script. Repeats a refused submission after the announced time, as clients are asked to. */
    private RestResponse submit(int number) throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            RestResponse answer = api.send(api.submissionRequest(
                    SubmissionBody.javascript("return args * 2;")
                            .args(Integer.toString(number))
                            .json(),
                    "Prefer",
                    "wait=20"));
            if (!repeatsRefused || answer.status() != 503 || attempt == MAX_ATTEMPTS) {
                return answer;
            }
            TimeUnit.SECONDS.sleep(Long.parseLong(answer.header("Retry-After")));
        }
    }

    private void pollSafely() {
        try {
            pollLongRunning();
        } catch (RuntimeException | AssertionError e) {
            failures.add(new BystanderFailure(System.currentTimeMillis(), e.toString()));
        }
    }

    /**
     * Records new samples. Records a failure if the execution did not complete, and replaces an ended execution by a
     * new one.
     */
    private synchronized void pollLongRunning() {
        JsonNode now = api.get(RestClient.EXECUTIONS + "/" + longRunningId + "?outputOffset=" + outputOffset)
                .expectStatus(200)
                .json();
        outputOffset = now.path("outputLength").asLong();
        for (String line : now.path("output").asText().split("\n", -1)) {
            String[] words = line.split(" ", -1);
            if (words.length == 2 && words[0].matches("\\d{13}") && words[1].matches("\\d{1,9}")) {
                samples.add(new LatencySample(Long.parseLong(words[0]), Long.parseLong(words[1])));
            }
        }
        if (RestClient.isFinished(now)) {
            if (!now.path("state").asText().equals("COMPLETED")) {
                failures.add(new BystanderFailure(
                        System.currentTimeMillis(), now.path("error").toString()));
            }
            longRunningId = startLongRunning();
            outputOffset = 0;
        }
    }

    /** Summarizes the time of an attack. */
    LatencySummary summarizeDuring(AttackCaseResult attack) {
        return summarize(attack.startMillis(), attack.endMillis());
    }

    /** Summarizes the period between two moments in milliseconds since 1970. */
    LatencySummary summarize(long from, long to) {
        List<Long> millis = new ArrayList<>(samples.stream()
                .filter(sample -> sample.atMillis() + sample.millis() >= from && sample.atMillis() <= to)
                .map(LatencySample::millis)
                .sorted()
                .toList());
        OptionalLong p99 = millis.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(millis.get((int) Math.ceil(P99 * millis.size()) - 1));
        return new LatencySummary(p99, (int) failures.stream()
                .filter(failure -> failure.atMillis() >= from && failure.atMillis() <= to)
                .count());
    }

    /** The distinct failure messages. */
    List<String> failureMessages() {
        return failures.stream().map(BystanderFailure::message).distinct().toList();
    }

    /** Number of measured latencies. */
    int probeCount() {
        return samples.size();
    }

    @Override
    public void close() {
        prober.shutdown();
        try {
            if (!prober.awaitTermination(120, TimeUnit.SECONDS)) {
                failures.add(new BystanderFailure(System.currentTimeMillis(), "a probe had no answer for 120 s"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pollSafely();
        api.cancel(longRunningId);
    }
}
