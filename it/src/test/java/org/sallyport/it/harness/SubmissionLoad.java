package org.sallyport.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Callers that submit continuously during an outage, each with an idempotency key, and retry each submission until it
 * is accepted. Records the responses and their latencies.
 */
public final class SubmissionLoad implements AutoCloseable {
    private static final int CALLERS = 4;
    private static final Duration END_TIMEOUT = Duration.ofSeconds(180);
    private static final String EFFECT_SCRIPT = """
            await sleep(args.n % 100);
            try {
              return { told: await demo.counter_increment({ name: args.key }) };
            } catch (e) {
              return { told: e.code };
            }
            """;

    private final Supplier<RestClient> api;
    private final String script;
    private final Map<String, String> keysById = new ConcurrentHashMap<>();
    /** Latencies of the responses in nanoseconds, by status. */
    private final Map<Integer, Queue<Long>> latenciesByStatus = new ConcurrentHashMap<>();

    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final List<Thread> callerThreads = new ArrayList<>();
    private volatile boolean open = true;

    private SubmissionLoad(Supplier<RestClient> api, String script) {
        this.api = api;
        this.script = script;
    }

    /**
     * Starts a load of scripts that make one effect and return it. The load lasts until {@link #close}; its result is
     * that of {@link #findViolations}.
     */
    public static SubmissionLoad start(Supplier<RestClient> api) {
        return start(api, EFFECT_SCRIPT);
    }

    /**
     * Starts a load of another script. The load lasts until {@link #close}. How its executions end is not checked: see
     * {@link #acceptedIds}.
     *
     * @param script its arguments have the idempotency key as {@code key}, and as {@code n} a number
     */
    public static SubmissionLoad start(Supplier<RestClient> api, String script) {
        SubmissionLoad traffic = new SubmissionLoad(api, script);
        RandomSeed seed = RandomSeed.next("traffic");
        for (int i = 0; i < CALLERS; i++) {
            Random random = seed.random(i);
            Thread caller = new Thread(() -> traffic.submitUntilClosed(random), "traffic-" + i);
            caller.setDaemon(true);
            traffic.callerThreads.add(caller);
            caller.start();
        }
        return traffic;
    }

    private void submitUntilClosed(Random random) {
        try {
            for (int n = 0; open; n++) {
                submitUntilAccepted(new UUID(random.nextLong(), random.nextLong()).toString(), n);
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError e) {
            failures.add("a caller died: " + e);
        }
    }

    private void submitUntilAccepted(String key, int n) throws InterruptedException {
        String body = SubmissionBody.javascript(script)
                .args("{\"key\": \"" + key + "\", \"n\": " + n + "}")
                .json();
        while (true) {
            long startNanos = System.nanoTime();
            RestResponse answer = api.get().send(api.get().submissionRequest(body, "Idempotency-Key", key));
            long nanos = System.nanoTime() - startNanos;
            latenciesByStatus
                    .computeIfAbsent(answer.status(), status -> new ConcurrentLinkedQueue<>())
                    .add(nanos);
            if (answer.status() == 202) {
                keysById.put(answer.json().path("id").asText(), key);
                return;
            } else if (answer.status() != 503 && answer.status() != 409) {
                failures.add("was answered " + answer);
                return;
            }
            Thread.sleep(100);
        }
    }

    /** Number of submissions accepted so far. */
    public int acceptedCount() {
        return keysById.size();
    }

    /** The ids of the executions accepted so far. */
    public Set<String> acceptedIds() {
        return Set.copyOf(keysById.keySet());
    }

    /** Number of responses with a status so far. */
    public int countAnswers(int status) {
        return latencies(status).size();
    }

    /** Returns once {@code more} further submissions have been accepted. */
    public void awaitAccepted(int more, Duration limit) {
        int enough = acceptedCount() + more;
        Await.until(more + " more are accepted", limit, () -> acceptedCount() >= enough);
    }

    /** Returns once all executions accepted so far have ended. */
    public void awaitAllEnded() {
        List.copyOf(keysById.keySet()).forEach(this::awaitEnd);
    }

    /** The longest latency of any response. */
    public Duration maxLatency() {
        return Duration.ofNanos(latenciesByStatus.values().stream()
                .flatMap(Queue::stream)
                .mapToLong(nanos -> nanos)
                .max()
                .orElse(0));
    }

    /** The 90th percentile of the latencies of responses with this status; zero if there were none. */
    public Duration p90Latency(int status) {
        List<Long> sorted = latencies(status).stream().sorted().toList();
        return sorted.isEmpty() ? Duration.ZERO : Duration.ofNanos(sorted.get((sorted.size() - 1) * 9 / 10));
    }

    private Queue<Long> latencies(int status) {
        return latenciesByStatus.getOrDefault(status, new ConcurrentLinkedQueue<>());
    }

    /** Stops the callers. Returns when every begun submission has a response. */
    @Override
    public void close() {
        open = false;
        try {
            for (Thread caller : callerThreads) {
                caller.join(60_000);
                if (caller.isAlive()) {
                    caller.interrupt();
                    throw new AssertionError("a submission is not answered: the service does not come back");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Describes all violations, to be called after the load has ended: for example accepted executions that did not end
     * or made their effect twice.
     */
    public List<String> findViolations() {
        List<String> faults = new ArrayList<>(failures);
        Map<String, Integer> resultCounts = new TreeMap<>();
        keysById.forEach((id, key) -> {
            JsonNode ended = awaitEnd(id);
            String result = ended.path("result").path("told").asText();
            resultCounts.merge(result, 1, Integer::sum);
            int effects = api.get()
                    .run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                            .args("\"" + key + "\""))
                    .path("result")
                    .size();
            if (!ended.path("state").asText().equals("COMPLETED")
                    || effects > 1
                    || result.equals("1") && effects != 1) {
                faults.add("made " + effects + " effects: " + ended);
            }
        });
        System.out.println("traffic: answered " + countsByStatus() + ", 503 usually after "
                + p90Latency(503).toMillis() + " ms, the slowest after "
                + maxLatency().toMillis() + " ms; scripts were told " + resultCounts);
        return faults;
    }

    /** Describes unexpected responses to submissions. Called after the load has ended. */
    public List<String> findUnexpectedResponses() {
        System.out.println("traffic: answered " + countsByStatus());
        return List.copyOf(failures);
    }

    private Map<Integer, Integer> countsByStatus() {
        Map<Integer, Integer> counts = new TreeMap<>();
        latenciesByStatus.forEach((status, nanos) -> counts.put(status, nanos.size()));
        return counts;
    }

    private JsonNode awaitEnd(String id) {
        return Await.untilPresent("execution " + id + " has ended", END_TIMEOUT, () -> {
            RestResponse answer = api.get().get(RestClient.EXECUTIONS + "/" + id + "?wait=10");
            if (answer.status() == 404) {
                throw new AssertionError("execution " + id + " is lost");
            }
            @Nullable JsonNode now = answer.status() == 200 ? answer.json() : null;
            return now != null && RestClient.isFinished(now) ? java.util.Optional.of(now) : java.util.Optional.empty();
        });
    }
}
