package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;

/**
 * Callers that submit with an idempotency key and retry with the same key until they get a response. The responses are
 * the record against which {@link ChaosVerifier} compares the final state.
 */
final class ChaosLoad implements AutoCloseable {
    private static final int CALLERS = 4;
    private static final int PAUSE_MILLIS = 120;
    private static final int ONE_BATCH_IN = 12;
    private static final int MAX_BATCH_ITEMS = 8;
    private static final List<ChaosScript> SCRIPTS = List.of(ChaosScript.values());
    private static final List<ChaosScript> READING_SCRIPTS =
            SCRIPTS.stream().filter(ChaosScript::onlyReads).toList();

    private final Supplier<RestClient> api;
    private final Map<String, ChaosSubmission> accepted = new ConcurrentHashMap<>();
    private final Map<String, Integer> acceptedBatches = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger resent = new AtomicInteger();
    private final AtomicInteger coalescedRows = new AtomicInteger();
    private final List<Thread> callerThreads = new ArrayList<>();
    private volatile boolean open = true;

    private ChaosLoad(Supplier<RestClient> api) {
        this.api = api;
    }

    /** Publishes each script as a capability, and starts the callers. */
    static ChaosLoad start(long seed, Supplier<RestClient> api) {
        SCRIPTS.forEach(script ->
                api.get().post("/api/v1/capabilities", script.toCapability()).expectStatus(201));
        ChaosLoad load = new ChaosLoad(api);
        for (int i = 0; i < CALLERS; i++) {
            Random random = new Random(seed * 31 + i);
            Thread caller = new Thread(() -> load.submitUntilStopped(random), "caller-" + i);
            caller.setDaemon(true);
            load.callerThreads.add(caller);
            caller.start();
        }
        return load;
    }

    private void submitUntilStopped(Random random) {
        try {
            while (open) {
                if (random.nextInt(ONE_BATCH_IN) == 0) {
                    if (random.nextBoolean()) {
                        submitScripts(random);
                    } else {
                        submitRows(random);
                    }
                } else {
                    submit(draw(random), random.nextInt(4) == 0);
                }
                Thread.sleep(random.nextInt(PAUSE_MILLIS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failures.add("a caller died: " + e);
        }
    }

    private static ChaosSubmission draw(Random random) {
        return draw(drawScript(SCRIPTS, random), random);
    }

    private static ChaosSubmission draw(ChaosScript script, Random random) {
        return new ChaosSubmission(script, drawKey(random), random.nextInt(2_000));
    }

    private static ChaosScript drawScript(List<ChaosScript> scripts, Random random) {
        return scripts.get(random.nextInt(scripts.size()));
    }

    private static String drawKey(Random random) {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    private void submit(ChaosSubmission job, boolean waiting) throws InterruptedException {
        String body = job.script().toSubmission(job).json();
        List<String> headers = new ArrayList<>(List.of("Idempotency-Key", job.key()));
        if (waiting) {
            headers.addAll(List.of("Prefer", "wait=2"));
        }
        sendUntilAnswered(job.toString(), api -> api.submissionRequest(body, headers.toArray(String[]::new)))
                .ifPresent(answer -> accepted.put(answer.path("id").asText(), job));
    }

    /** Submits a batch of some scripts, which run all at once or at most two at a time. */
    private void submitScripts(Random random) throws InterruptedException {
        List<ChaosSubmission> items = new ArrayList<>();
        StringBuilder lines = new StringBuilder();
        for (int i = 2 + random.nextInt(MAX_BATCH_ITEMS - 1); i > 0; i--) {
            ChaosSubmission item = draw(random);
            items.add(item);
            lines.append(item.script().toSubmission(item).json()).append('\n');
        }
        submitBatch(
                drawKey(random),
                random.nextBoolean() ? "?maxParallel=2" : "",
                "application/x-ndjson",
                lines.toString(),
                items);
    }

    /** Submits rows that run one capability. Half of the batches only read and have equal rows, which share a run. */
    private void submitRows(Random random) throws InterruptedException {
        boolean mayRepeat = random.nextBoolean();
        ChaosScript script = drawScript(mayRepeat ? READING_SCRIPTS : SCRIPTS, random);
        boolean coalesce = mayRepeat || random.nextBoolean();
        List<ChaosSubmission> rows = new ArrayList<>();
        for (int i = 2 + random.nextInt(MAX_BATCH_ITEMS - 1); i > 0; i--) {
            boolean repeats = mayRepeat && !rows.isEmpty() && random.nextBoolean();
            rows.add(repeats ? rows.get(random.nextInt(rows.size())) : draw(script, random));
        }
        submitBatch(
                drawKey(random),
                "?capability=" + script.capabilityName() + (coalesce ? "&coalesce=true" : "")
                        + (random.nextBoolean() ? "&maxParallel=2" : ""),
                "text/csv",
                rows.stream()
                        .map(row -> row.key() + "," + row.number() + "\n")
                        .collect(Collectors.joining("", "key,n\n", "")),
                rows);
    }

    private void submitBatch(String key, String query, String type, String body, List<ChaosSubmission> items)
            throws InterruptedException {
        sendUntilAnswered(
                        "batch " + key,
                        api -> api.request("/api/v1/batches" + query)
                                .header("Content-Type", type)
                                .header("Idempotency-Key", key)
                                .POST(RestClient.body(body)))
                .ifPresent(batch -> recordBatch(batch, items));
    }

    private void recordBatch(JsonNode batch, List<ChaosSubmission> items) {
        String id = batch.path("id").asText();
        for (int i = 0; i < items.size(); i++) {
            ChaosSubmission item = items.get(i);
            String execution = batch.path("items").path(i).path("execution").asText();
            if (execution.isEmpty()) {
                failures.add(item + " was refused in batch " + id);
                continue;
            }
            ChaosSubmission answered = accepted.put(execution, item);
            if (answered != null && !answered.equals(item)) {
                failures.add(execution + " of batch " + id + " answers " + answered + " and " + item);
            }
        }
        int equal = items.size() - new HashSet<>(items).size();
        if (batch.path("coalesced").asInt() != equal) {
            failures.add("batch " + id + " has " + equal + " equal rows but coalesced " + batch.path("coalesced"));
        }
        coalescedRows.addAndGet(equal);
        acceptedBatches.put(id, items.size());
    }

    /** Sends a request until the service accepts it, and returns its answer; empty if the service refuses it. */
    private Optional<JsonNode> sendUntilAnswered(String what, Function<RestClient, HttpRequest.Builder> request)
            throws InterruptedException {
        while (true) {
            try {
                RestClient client = api.get();
                RestResponse answer = client.send(request.apply(client));
                if (answer.status() == 200 || answer.status() == 202) {
                    return Optional.of(answer.json());
                } else if (answer.status() < 500
                        && answer.status() != 409
                        && (answer.status() != 404 || !answer.problemType().isEmpty())) {
                    failures.add(what + " was answered " + answer);
                    return Optional.empty();
                }
            } catch (AssertionError noAnswer) {
                // The node is dead, or died before it could confirm that it accepted the submission.
            }
            // The server answers 404 without a problem, or an empty 500, for an application that it is still deploying.
            resent.incrementAndGet();
            Thread.sleep(300);
        }
    }

    /** Measures how long a trivial script takes. The script is one of the accepted submissions. */
    Duration timeTrivialScript() {
        ChaosSubmission job =
                new ChaosSubmission(ChaosScript.TRIVIAL, UUID.randomUUID().toString(), 1);
        long startNanos = System.nanoTime();
        JsonNode ended = api.get().run(job.script().toSubmission(job));
        Duration took = Duration.ofNanos(System.nanoTime() - startNanos);
        accepted.put(ended.path("id").asText(), job);
        return took;
    }

    /** The submissions that were accepted so far, by execution id. */
    Map<String, ChaosSubmission> accepted() {
        return Map.copyOf(accepted);
    }

    /** The number of items of each batch that was accepted so far, by its id. */
    Map<String, Integer> acceptedBatches() {
        return Map.copyOf(acceptedBatches);
    }

    /** Number of accepted rows that the execution of an equal row answers. */
    int coalescedRows() {
        return coalescedRows.get();
    }

    /** Unexpected responses. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Number of submissions that had to be sent again. */
    int resent() {
        return resent.get();
    }

    /** Makes the callers start no further submissions. */
    void stopSubmitting() {
        open = false;
    }

    /** Stops the callers and returns when every submission that they began has a response. */
    @Override
    public void close() {
        stopSubmitting();
        try {
            for (Thread caller : callerThreads) {
                caller.join(180_000);
                if (caller.isAlive()) {
                    caller.interrupt();
                    throw new AssertionError("a submission is not answered: the service does not come back");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
