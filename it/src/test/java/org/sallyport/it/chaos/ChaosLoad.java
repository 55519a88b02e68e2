package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Callers that submit with an idempotency key and retry with the same key until they get a response. The responses are
 * the record with which {@link ChaosRun} compares the final state.
 */
final class ChaosLoad implements AutoCloseable {
    private static final int CALLERS = 4;
    private static final int PAUSE_MILLIS = 120;
    private static final int ONE_BATCH_IN = 12;
    private static final int ONE_ERASED_IN = 20;
    private static final int ONE_CALLBACK_IN = 6;
    private static final int MAX_BATCH_ITEMS = 8;
    private static final List<ChaosScript> SCRIPTS =
            Stream.of(ChaosScript.values()).filter(ChaosScript::isSubmitted).toList();
    private static final List<ChaosScript> READING_SCRIPTS =
            SCRIPTS.stream().filter(ChaosScript::onlyReads).toList();

    private final RetryingClient client;
    private final String callbackUrl;
    private final Map<String, ChaosSubmission> accepted = new ConcurrentHashMap<>();
    private final Map<String, Integer> acceptedBatches = new ConcurrentHashMap<>();
    private final Set<String> executionsWithCallback = ConcurrentHashMap.newKeySet();
    private final Set<String> erased = ConcurrentHashMap.newKeySet();
    private final AtomicInteger coalescedRows = new AtomicInteger();
    private final List<Thread> callerThreads = new ArrayList<>();
    private volatile boolean open = true;

    private ChaosLoad(RetryingClient client, String callbackUrl) {
        this.client = client;
        this.callbackUrl = callbackUrl;
    }

    /**
     * Starts the callers.
     *
     * @param callbackUrl the URL of the callbacks that some submissions ask for
     */
    static ChaosLoad start(long seed, RetryingClient client, String callbackUrl) {
        ChaosLoad load = new ChaosLoad(client, callbackUrl);
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
                } else if (random.nextInt(ONE_ERASED_IN) == 0) {
                    submitAndErase(random);
                } else {
                    submit(draw(random), random.nextInt(4) == 0, random.nextInt(ONE_CALLBACK_IN) == 0);
                }
                Thread.sleep(random.nextInt(PAUSE_MILLIS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            client.addFailure("a caller died: " + e);
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

    private void submit(ChaosSubmission job, boolean waiting, boolean withCallback) throws InterruptedException {
        SubmissionBody body = job.script().toSubmission(job);
        Optional<JsonNode> answer = submit(
                job,
                withCallback ? body.with("callback", TextNode.valueOf(callbackUrl)) : body,
                waiting ? List.of("Prefer", "wait=2") : List.of());
        if (answer.isPresent()) {
            String id = answer.get().path("id").asText();
            accepted.put(id, job);
            if (withCallback) {
                executionsWithCallback.add(id);
            }
        }
    }

    private Optional<JsonNode> submit(ChaosSubmission job, SubmissionBody body, List<String> moreHeaders)
            throws InterruptedException {
        List<String> headers = new ArrayList<>(List.of("Idempotency-Key", job.key()));
        headers.addAll(moreHeaders);
        return client.send(
                        job.toString(),
                        api -> api.submissionRequest(body.json(), headers.toArray(String[]::new)),
                        200,
                        202)
                .map(RestResponse::json);
    }

    /** Submits a script and erases its execution as soon as it has ended. */
    private void submitAndErase(Random random) throws InterruptedException {
        ChaosSubmission job = draw(ChaosScript.READS, random);
        Optional<JsonNode> answer = submit(job, job.script().toSubmission(job), List.of());
        if (answer.isPresent()) {
            String path = RestClient.EXECUTIONS + "/" + answer.get().path("id").asText();
            // 404: an earlier request erased the execution and was not answered.
            client.send("the erasure of " + path, api -> api.request(path).DELETE(), 204, 404);
            erased.add(answer.get().path("id").asText());
        }
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
        ChaosScript script = drawScript(mayRepeat ? READING_SCRIPTS : ChaosPreparation.CAPABILITIES, random);
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
        client.send(
                        "batch " + key,
                        api -> api.request("/api/v1/batches" + query)
                                .header("Content-Type", type)
                                .header("Idempotency-Key", key)
                                .POST(RestClient.body(body)),
                        200,
                        202)
                .ifPresent(answer -> recordBatch(answer.json(), items));
    }

    private void recordBatch(JsonNode batch, List<ChaosSubmission> items) {
        String id = batch.path("id").asText();
        for (int i = 0; i < items.size(); i++) {
            ChaosSubmission item = items.get(i);
            String execution = batch.path("items").path(i).path("execution").asText();
            if (execution.isEmpty()) {
                client.addFailure(item + " was refused in batch " + id);
                continue;
            }
            ChaosSubmission answered = accepted.put(execution, item);
            if (answered != null && !answered.equals(item)) {
                client.addFailure(execution + " of batch " + id + " answers " + answered + " and " + item);
            }
        }
        int equal = items.size() - new HashSet<>(items).size();
        if (batch.path("coalesced").asInt() != equal) {
            client.addFailure("batch " + id + " has " + equal + " equal rows but coalesced " + batch.path("coalesced"));
        }
        coalescedRows.addAndGet(equal);
        acceptedBatches.put(id, items.size());
    }

    /** Measures how long a trivial script takes. The script is one of the accepted submissions. */
    Duration timeTrivialScript() {
        ChaosSubmission job =
                new ChaosSubmission(ChaosScript.TRIVIAL, UUID.randomUUID().toString(), 1);
        long startNanos = System.nanoTime();
        JsonNode ended = client.api().run(job.script().toSubmission(job));
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

    /** The accepted executions whose end the service must report to the callback URL. */
    Set<String> executionsWithCallback() {
        return Set.copyOf(executionsWithCallback);
    }

    /** The executions that were erased. */
    Set<String> erased() {
        return Set.copyOf(erased);
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
                    throw new AssertionError("requests are still not answered: " + client.unanswered());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
