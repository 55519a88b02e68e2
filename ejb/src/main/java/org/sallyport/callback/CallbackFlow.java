package org.sallyport.callback;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.sallyport.callback.CallbackStore.Attempt;
import org.sallyport.callback.CallbackStore.Delivery;
import org.sallyport.connector.http.Posts;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;

/**
 * Sends what is due, a bounded number at one time, of which a host and a tenant have but a share: who is slow makes only himself
 * wait. What was sent and not recorded is sent again, so a receiver may hear twice, with the same id. {@link #look} is for one
 * thread, the rest is thread-safe.
 */
public final class CallbackFlow {
    private static final Logger LOG = System.getLogger(CallbackFlow.class.getName());
    private static final int AT_ONCE = 500;
    private static final int REMEMBERED = 100_000;
    private static final Duration ANOTHER_NODE = Duration.ofMinutes(1);

    private final CallbackStore store;
    private final ExecutionStore executions;
    private final Posts posts;
    private final Signatures signatures;
    private final Bounds bounds;
    private final Backoff backoff;
    private final Executor senders;
    private final RandomGenerator random;

    /** What is known not to have ended, so that an end on this node is told at once. */
    private final Set<ExecutionId> waiting = ConcurrentHashMap.newKeySet();

    private final Set<ExecutionId> ended = ConcurrentHashMap.newKeySet();
    private final Map<ExecutionId, Delivery> open = new ConcurrentHashMap<>();

    /**
     * How much at one time.
     *
     * @param parallel of all
     * @param host of one host
     * @param tenant of one tenant
     * @param lease for one; longer than one can take
     * @param resultBytes of a result
     */
    public record Bounds(int parallel, int host, int tenant, Duration lease, int resultBytes) {}

    /** @param senders runs as many at one time as {@link Bounds#parallel} */
    public CallbackFlow(
            CallbackStore store,
            ExecutionStore executions,
            Posts posts,
            Signatures signatures,
            Bounds bounds,
            Backoff backoff,
            Executor senders,
            RandomGenerator random) {
        this.store = store;
        this.executions = executions;
        this.posts = posts;
        this.signatures = signatures;
        this.bounds = bounds;
        this.backoff = backoff;
        this.senders = senders;
        this.random = random;
    }

    /** An execution has ended on this node. Never blocks; costs nothing for one that nobody waits for. */
    public void ended(ExecutionId id) {
        if (waiting.remove(id)) {
            ended.add(id);
        }
    }

    /** One look at what has ended and what is due. Waits for the store. */
    public void look() {
        try {
            for (ExecutionId id : Set.copyOf(ended)) {
                store.hint(id);
                ended.remove(id);
            }
            List<ExecutionId> found = store.settle(AT_ONCE);
            if (waiting.size() < REMEMBERED) {
                waiting.addAll(found);
            }
            while (open.size() < bounds.parallel()) {
                Optional<Delivery> next = store.take(
                        bounds.lease(), full(Delivery::host, bounds.host()), full(Delivery::tenant, bounds.tenant()));
                if (next.isEmpty()) {
                    return;
                }
                begin(next.get());
            }
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "callbacks cannot be sent now", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "callbacks could not be looked at; the next look tries again", e);
        }
    }

    private Set<String> full(java.util.function.Function<Delivery, String> by, int most) {
        Map<String, Integer> counts = new HashMap<>();
        open.values().forEach(each -> counts.merge(by.apply(each), 1, Integer::sum));
        return counts.entrySet().stream()
                .filter(each -> each.getValue() >= most)
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(HashSet::new));
    }

    private void begin(Delivery delivery) {
        open.put(delivery.execution(), delivery);
        try {
            senders.execute(() -> {
                try {
                    deliver(delivery);
                } catch (StoreUnavailableException e) {
                    LOG.log(Level.DEBUG, "what became of a callback cannot be recorded now; it is sent again", e);
                } catch (RuntimeException e) {
                    LOG.log(Level.ERROR, "callback " + delivery.execution() + " failed; it is sent again", e);
                } finally {
                    open.remove(delivery.execution(), delivery);
                }
            });
        } catch (RejectedExecutionException e) {
            open.remove(delivery.execution(), delivery); // It is given out again.
        }
    }

    private void deliver(Delivery delivery) {
        Optional<Execution> execution = executions.find(delivery.tenant(), delivery.execution());
        if (execution.isEmpty()) {
            return; // It was deleted, and its callback with it.
        }
        byte[] body = CallbackBody.of(execution.get(), bounds.resultBytes());
        long now = delivery.now().getEpochSecond();
        Optional<String> signature = signatures.header(delivery.tenant(), now, body);
        if (signature.isEmpty()) {
            LOG.log(
                    Level.ERROR,
                    "callbacks cannot be signed: this node's key is not the one that the secret was made with");
            store.refused(
                    delivery,
                    new Attempt(Optional.empty(), Optional.of("the node has another key than the tenant's secret")),
                    Optional.of(ANOTHER_NODE));
            return;
        }
        Failpoint.CALLING_BACK.reached(delivery.execution());
        Attempt attempt = attempt(delivery, body, signature.get());
        Failpoint.CALLED_BACK.reached(delivery.execution());
        note(delivery, attempt);
    }

    private Attempt attempt(Delivery delivery, byte[] body, String signature) {
        Map<String, String> headers = Map.of(
                "Sallyport-Signature",
                signature,
                "Sallyport-Delivery",
                delivery.execution().toString(),
                "Sallyport-Attempt",
                Integer.toString(delivery.attempt()));
        try {
            int status = posts.post(delivery.url(), headers, body);
            boolean taken = status >= 200 && status < 300;
            return new Attempt(
                    Optional.of(status), taken ? Optional.empty() : Optional.of("the receiver answered " + status));
        } catch (IOException e) {
            return new Attempt(Optional.empty(), Optional.of(String.valueOf(e.getMessage())));
        }
    }

    private void note(Delivery delivery, Attempt attempt) {
        if (attempt.failure().isEmpty()) {
            store.delivered(delivery, attempt);
            return;
        }
        Duration passed = Duration.between(delivery.since(), delivery.now());
        Optional<Duration> wait = backoff.pause(delivery.attempt(), passed, random);
        if (wait.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "callback of {0} is given up after {1} attempts: {2}",
                    delivery.execution(),
                    delivery.attempt(),
                    attempt.failure().get());
        }
        store.refused(delivery, attempt, wait);
    }
}
