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
import org.sallyport.callback.CallbackStore.CallbackAttemptResult;
import org.sallyport.callback.CallbackStore.CallbackDelivery;
import org.sallyport.connector.http.WebhookClient;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;

/**
 * Sends due callbacks, a bounded number at the same time. Each host and each tenant has only a share of them, so that a
 * slow receiver delays only its own callbacks. A callback that was sent but not recorded is sent again, so a receiver
 * may get it twice, with the same id. One thread calls {@link #poll}; the other methods are thread-safe.
 */
public final class CallbackDispatcher {
    private static final Logger LOG = System.getLogger(CallbackDispatcher.class.getName());
    private static final int BATCH_SIZE = 500;
    private static final int MAX_WATCHED = 100_000;
    private static final Duration SIGNING_RETRY_DELAY = Duration.ofMinutes(1);

    private final CallbackStore store;
    private final ExecutionStore executions;
    private final WebhookClient webhookClient;
    private final CallbackSigner signer;
    private final CallbackLimits limits;
    private final CallbackRetryPolicy retryPolicy;
    private final Executor senderExecutor;
    private final RandomGenerator random;

    /**
     * Executions that had not ended at the last poll, so that their end on this node triggers the callback immediately.
     */
    private final Set<ExecutionId> watched = ConcurrentHashMap.newKeySet();

    private final Set<ExecutionId> ended = ConcurrentHashMap.newKeySet();
    private final Map<ExecutionId, CallbackDelivery> inFlight = new ConcurrentHashMap<>();

    /**
     * Bounds of the dispatcher.
     *
     * @param maxConcurrent maximum number of concurrent deliveries
     * @param maxPerHost maximum for one host
     * @param maxPerTenant maximum for one tenant
     * @param leaseDuration how long one delivery is reserved for this node; longer than a delivery can take
     * @param maxResultBytes maximum size of a result in the payload, in bytes
     */
    public record CallbackLimits(
            int maxConcurrent, int maxPerHost, int maxPerTenant, Duration leaseDuration, int maxResultBytes) {}

    /** @param senders runs {@link CallbackLimits#maxConcurrent} tasks concurrently */
    public CallbackDispatcher(
            CallbackStore store,
            ExecutionStore executions,
            WebhookClient posts,
            CallbackSigner signatures,
            CallbackLimits bounds,
            CallbackRetryPolicy backoff,
            Executor senders,
            RandomGenerator random) {
        this.store = store;
        this.executions = executions;
        this.webhookClient = posts;
        this.signer = signatures;
        this.limits = bounds;
        this.retryPolicy = backoff;
        this.senderExecutor = senders;
        this.random = random;
    }

    /**
     * Records that an execution has ended on this node. Never blocks; free of cost for an execution without a callback.
     */
    public void onExecutionEnded(ExecutionId id) {
        if (watched.remove(id)) {
            ended.add(id);
        }
    }

    /** Checks ended executions and starts due deliveries. Waits for the store. */
    public void poll() {
        try {
            for (ExecutionId id : Set.copyOf(ended)) {
                store.requestCheck(id);
                ended.remove(id);
            }
            List<ExecutionId> found = store.markEndedDue(BATCH_SIZE);
            if (watched.size() < MAX_WATCHED) {
                watched.addAll(found);
            }
            while (inFlight.size() < limits.maxConcurrent()) {
                Optional<CallbackDelivery> next = store.claimDue(
                        limits.leaseDuration(),
                        keysAtLimit(CallbackDelivery::host, limits.maxPerHost()),
                        keysAtLimit(CallbackDelivery::tenant, limits.maxPerTenant()));
                if (next.isEmpty()) {
                    return;
                }
                startDelivery(next.get());
            }
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "callbacks cannot be sent now", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "due callbacks could not be read; the next poll tries again", e);
        }
    }

    private Set<String> keysAtLimit(java.util.function.Function<CallbackDelivery, String> by, int limit) {
        Map<String, Integer> counts = new HashMap<>();
        inFlight.values().forEach(each -> counts.merge(by.apply(each), 1, Integer::sum));
        return counts.entrySet().stream()
                .filter(each -> each.getValue() >= limit)
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(HashSet::new));
    }

    private void startDelivery(CallbackDelivery delivery) {
        inFlight.put(delivery.execution(), delivery);
        try {
            senderExecutor.execute(() -> {
                try {
                    deliver(delivery);
                } catch (StoreUnavailableException e) {
                    LOG.log(
                            Level.DEBUG,
                            "the result of a callback attempt could not be stored; the callback is sent" + " again",
                            e);
                } catch (RuntimeException e) {
                    LOG.log(Level.ERROR, "callback " + delivery.execution() + " failed; it is sent again", e);
                } finally {
                    inFlight.remove(delivery.execution(), delivery);
                }
            });
        } catch (RejectedExecutionException e) {
            inFlight.remove(delivery.execution(), delivery); // The store returns it again when its lease expires.
        }
    }

    private void deliver(CallbackDelivery delivery) {
        Optional<Execution> execution = executions.find(delivery.tenant(), delivery.execution());
        if (execution.isEmpty()) {
            return; // The execution was deleted together with its callback.
        }
        byte[] body = CallbackPayload.encode(execution.get(), limits.maxResultBytes());
        long now = delivery.claimedAt().getEpochSecond();
        Optional<String> signature = signer.signatureHeader(delivery.tenant(), now, body);
        if (signature.isEmpty()) {
            LOG.log(
                    Level.ERROR,
                    "callbacks cannot be signed: this node's callback key differs from the key that the tenant's"
                            + " secret was made with");
            store.markFailed(
                    delivery,
                    new CallbackAttemptResult(
                            Optional.empty(),
                            Optional.of("the node's callback key differs from the key that the"
                                    + " tenant's secret was made with")),
                    Optional.of(SIGNING_RETRY_DELAY));
            return;
        }
        Failpoint.CALLING_BACK.reached(delivery.execution());
        CallbackAttemptResult attempt = post(delivery, body, signature.get());
        Failpoint.CALLED_BACK.reached(delivery.execution());
        recordResult(delivery, attempt);
    }

    private CallbackAttemptResult post(CallbackDelivery delivery, byte[] body, String signature) {
        Map<String, String> headers = Map.of(
                "Sallyport-Signature",
                signature,
                "Sallyport-Delivery",
                delivery.execution().toString(),
                "Sallyport-Attempt",
                Integer.toString(delivery.attempt()));
        try {
            int status = webhookClient.post(delivery.url(), headers, body);
            boolean taken = status >= 200 && status < 300;
            return new CallbackAttemptResult(
                    Optional.of(status), taken ? Optional.empty() : Optional.of("the receiver answered " + status));
        } catch (IOException e) {
            return new CallbackAttemptResult(Optional.empty(), Optional.of(String.valueOf(e.getMessage())));
        }
    }

    private void recordResult(CallbackDelivery delivery, CallbackAttemptResult attempt) {
        if (attempt.failure().isEmpty()) {
            store.markDelivered(delivery, attempt);
            return;
        }
        Duration passed = Duration.between(delivery.dueAt(), delivery.claimedAt());
        Optional<Duration> wait = retryPolicy.nextDelay(delivery.attempt(), passed, random);
        if (wait.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "callback of {0} is given up after {1} attempts: {2}",
                    delivery.execution(),
                    delivery.attempt(),
                    attempt.failure().get());
        }
        store.markFailed(delivery, attempt, wait);
    }
}
