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
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;

/**
 * Callers that submit, each with a key, and ask again with the same key until they are answered. What they were answered is
 * the ledger that everything is compared with.
 */
final class Load implements AutoCloseable {
    private static final int CALLERS = 4;
    private static final int PAUSE_MILLIS = 120;
    private static final List<Kind> KINDS = List.of(Kind.values());

    private final Supplier<Api> api;
    private final Map<String, Job> accepted = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger resent = new AtomicInteger();
    private final List<Thread> callers = new ArrayList<>();
    private volatile boolean open = true;

    private Load(Supplier<Api> api) {
        this.api = api;
    }

    static Load begin(long seed, Supplier<Api> api) {
        Load load = new Load(api);
        for (int i = 0; i < CALLERS; i++) {
            Random random = new Random(seed * 31 + i);
            Thread caller = new Thread(() -> load.call(random), "caller-" + i);
            caller.setDaemon(true);
            load.callers.add(caller);
            caller.start();
        }
        return load;
    }

    private void call(Random random) {
        try {
            while (open) {
                Kind kind = KINDS.get(random.nextInt(KINDS.size()));
                Job job =
                        new Job(kind, new UUID(random.nextLong(), random.nextLong()).toString(), random.nextInt(2_000));
                submit(job, random.nextInt(4) == 0);
                Thread.sleep(random.nextInt(PAUSE_MILLIS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            wrong.add("a caller died: " + e);
        }
    }

    private void submit(Job job, boolean waiting) throws InterruptedException {
        String body = job.kind().submission(job).json();
        while (true) {
            try {
                Answer answer = api.get()
                        .send(
                                waiting
                                        ? api.get().submission(body, "Idempotency-Key", job.key(), "Prefer", "wait=2")
                                        : api.get().submission(body, "Idempotency-Key", job.key()));
                if (answer.status() == 200 || answer.status() == 202) {
                    accepted.put(answer.json().path("id").asText(), job);
                    return;
                } else if (answer.status() < 500 && answer.status() != 409 && answer.status() != 404) {
                    wrong.add(job + " was answered " + answer);
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
    Duration timed() {
        Job job = new Job(Kind.TRIVIAL, UUID.randomUUID().toString(), 1);
        long begin = System.nanoTime();
        JsonNode ended = api.get().run(job.kind().submission(job));
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        accepted.put(ended.path("id").asText(), job);
        return took;
    }

    /** What was accepted until now, by id. */
    Map<String, Job> accepted() {
        return Map.copyOf(accepted);
    }

    /** Answers that should not be. */
    List<String> wrong() {
        return List.copyOf(wrong);
    }

    /** Submissions that had to be sent again. */
    int resent() {
        return resent.get();
    }

    /** Nothing new from now on. */
    void finish() {
        open = false;
    }

    /** Returns when every submission that was begun is answered. */
    @Override
    public void close() {
        finish();
        try {
            for (Thread caller : callers) {
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
