package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;

/**
 * Callers that submit, each with a key, and ask again with the same key until they are answered. What they were answered is
 * the ledger that everything is compared with.
 */
final class ChaosLoad implements AutoCloseable {
    private static final int CALLERS = 4;
    private static final int PAUSE_MILLIS = 120;
    private static final List<ChaosScript> SCRIPTS = List.of(ChaosScript.values());

    private final Supplier<RestClient> api;
    private final Map<String, ChaosSubmission> accepted = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger resent = new AtomicInteger();
    private final List<Thread> callerThreads = new ArrayList<>();
    private volatile boolean open = true;

    private ChaosLoad(Supplier<RestClient> api) {
        this.api = api;
    }

    static ChaosLoad start(long seed, Supplier<RestClient> api) {
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
                ChaosScript kind = SCRIPTS.get(random.nextInt(SCRIPTS.size()));
                ChaosSubmission job = new ChaosSubmission(
                        kind, new UUID(random.nextLong(), random.nextLong()).toString(), random.nextInt(2_000));
                submitUntilAnswered(job, random.nextInt(4) == 0);
                Thread.sleep(random.nextInt(PAUSE_MILLIS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failures.add("a caller died: " + e);
        }
    }

    private void submitUntilAnswered(ChaosSubmission job, boolean waiting) throws InterruptedException {
        String body = job.script().toSubmission(job).json();
        while (true) {
            try {
                RestResponse answer = api.get()
                        .send(
                                waiting
                                        ? api.get()
                                                .submissionRequest(
                                                        body, "Idempotency-Key", job.key(), "Prefer", "wait=2")
                                        : api.get().submissionRequest(body, "Idempotency-Key", job.key()));
                if (answer.status() == 200 || answer.status() == 202) {
                    accepted.put(answer.json().path("id").asText(), job);
                    return;
                } else if (answer.status() < 500 && answer.status() != 409 && answer.status() != 404) {
                    failures.add(job + " was answered " + answer);
                    return;
                }
            } catch (AssertionError noAnswer) {
                // The node is dead, or died before it could say whether it took the job.
            }
            // The server answers 404 or an empty 500 for an application that it is still deploying.
            resent.incrementAndGet();
            Thread.sleep(300);
        }
    }

    /** How long a script takes that does next to nothing. It is among what was accepted. */
    Duration timeTrivialScript() {
        ChaosSubmission job =
                new ChaosSubmission(ChaosScript.TRIVIAL, UUID.randomUUID().toString(), 1);
        long begin = System.nanoTime();
        JsonNode ended = api.get().run(job.script().toSubmission(job));
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        accepted.put(ended.path("id").asText(), job);
        return took;
    }

    /** What was accepted until now, by id. */
    Map<String, ChaosSubmission> accepted() {
        return Map.copyOf(accepted);
    }

    /** Answers that should not be. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Submissions that had to be sent again. */
    int resent() {
        return resent.get();
    }

    /** Nothing new from now on. */
    void stopSubmitting() {
        open = false;
    }

    /** Returns when every submission that was begun is answered. */
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
