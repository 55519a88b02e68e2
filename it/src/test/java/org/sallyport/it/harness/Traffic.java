package org.sallyport.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Callers that submit without a rest, each with a key and until it is accepted, while something beside the service is away.
 * Keeps what they were answered and how long they waited for it. Their scripts make one effect each, and tell of it.
 */
public final class Traffic implements AutoCloseable {
    private static final int CALLERS = 4;
    private static final Duration END = Duration.ofSeconds(180);
    private static final String SCRIPT = """
            await sleep(args.n % 100);
            try {
              return { told: await demo.counter_increment({ name: args.key }) };
            } catch (e) {
              return { told: e.code };
            }
            """;

    private final Supplier<Api> api;
    private final Map<String, String> keys = new ConcurrentHashMap<>();
    /** How many nanoseconds each answer took, by status. */
    private final Map<Integer, Queue<Long>> answers = new ConcurrentHashMap<>();

    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private final List<Thread> callers = new ArrayList<>();
    private volatile boolean open = true;

    private Traffic(Supplier<Api> api) {
        this.api = api;
    }

    /** Begins it; it lasts until this is closed. */
    public static Traffic begin(Supplier<Api> api) {
        Traffic traffic = new Traffic(api);
        Seed seed = Seed.next("traffic");
        for (int i = 0; i < CALLERS; i++) {
            Random random = seed.random(i);
            Thread caller = new Thread(() -> traffic.call(random), "traffic-" + i);
            caller.setDaemon(true);
            traffic.callers.add(caller);
            caller.start();
        }
        return traffic;
    }

    private void call(Random random) {
        try {
            for (int n = 0; open; n++) {
                submit(new UUID(random.nextLong(), random.nextLong()).toString(), n);
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError e) {
            wrong.add("a caller died: " + e);
        }
    }

    private void submit(String key, int n) throws InterruptedException {
        String body = Submission.javascript(SCRIPT)
                .args("{\"key\": \"" + key + "\", \"n\": " + n + "}")
                .json();
        while (true) {
            long begin = System.nanoTime();
            Answer answer = api.get().send(api.get().submission(body, "Idempotency-Key", key));
            long nanos = System.nanoTime() - begin;
            answers.computeIfAbsent(answer.status(), status -> new ConcurrentLinkedQueue<>())
                    .add(nanos);
            if (answer.status() == 202) {
                keys.put(answer.json().path("id").asText(), key);
                return;
            } else if (answer.status() != 503 && answer.status() != 409) {
                wrong.add("was answered " + answer);
                return;
            }
            Thread.sleep(100);
        }
    }

    /** How many were accepted until now. */
    public int accepted() {
        return keys.size();
    }

    /** How many answers had a status until now. */
    public int answers(int status) {
        return took(status).size();
    }

    /** Returns once {@code more} have been accepted from now on. */
    public void awaitAccepted(int more, Duration limit) {
        int enough = accepted() + more;
        Await.until(more + " more are accepted", limit, () -> accepted() >= enough);
    }

    /** Returns once all that was accepted until now has ended. */
    public void awaitAllEnded() {
        List.copyOf(keys.keySet()).forEach(this::end);
    }

    /** The longest that anybody has waited for an answer. */
    public Duration slowest() {
        return Duration.ofNanos(answers.values().stream()
                .flatMap(Queue::stream)
                .mapToLong(nanos -> nanos)
                .max()
                .orElse(0));
    }

    /** What nine of ten answers with this status took at most; zero when there was none. */
    public Duration usual(int status) {
        List<Long> sorted = took(status).stream().sorted().toList();
        return sorted.isEmpty() ? Duration.ZERO : Duration.ofNanos(sorted.get((sorted.size() - 1) * 9 / 10));
    }

    private Queue<Long> took(int status) {
        return answers.getOrDefault(status, new ConcurrentLinkedQueue<>());
    }

    /** Nothing new from now on; returns when everybody is answered. */
    @Override
    public void close() {
        open = false;
        try {
            for (Thread caller : callers) {
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

    /** Everything that must not be, once all is quiet: what was accepted has not ended or made its effect twice, and the like. */
    public List<String> faults() {
        List<String> faults = new ArrayList<>(wrong);
        Map<String, Integer> told = new TreeMap<>();
        keys.forEach((id, key) -> {
            JsonNode ended = end(id);
            String result = ended.path("result").path("told").asText();
            told.merge(result, 1, Integer::sum);
            int made = api.get()
                    .run(Submission.javascript("return demo.counter_ledger({ name: args });")
                            .args("\"" + key + "\""))
                    .path("result")
                    .size();
            if (!ended.path("state").asText().equals("COMPLETED") || made > 1 || result.equals("1") && made != 1) {
                faults.add("made " + made + " effects: " + ended);
            }
        });
        System.out.println("traffic: answered " + counts() + ", 503 usually after "
                + usual(503).toMillis() + " ms, the slowest after "
                + slowest().toMillis() + " ms; scripts were told " + told);
        return faults;
    }

    private Map<Integer, Integer> counts() {
        Map<Integer, Integer> counts = new TreeMap<>();
        answers.forEach((status, nanos) -> counts.put(status, nanos.size()));
        return counts;
    }

    private JsonNode end(String id) {
        return Await.value("execution " + id + " has ended", END, () -> {
            Answer answer = api.get().get(Api.EXECUTIONS + "/" + id + "?wait=10");
            if (answer.status() == 404) {
                throw new AssertionError("execution " + id + " is lost");
            }
            @Nullable JsonNode now = answer.status() == 200 ? answer.json() : null;
            return now != null && Api.ended(now) ? java.util.Optional.of(now) : java.util.Optional.empty();
        });
    }
}
