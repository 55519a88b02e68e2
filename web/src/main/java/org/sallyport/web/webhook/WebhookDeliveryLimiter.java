package org.sallyport.web.webhook;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.KeyedCounter;
import org.sallyport.web.security.FailedLoginLimiter;
import org.sallyport.web.security.RequestRateLimiter;
import org.sallyport.webhook.InboundWebhook;

/**
 * Limits deliveries to inbound webhooks on this node: those at one time, of the node and of each tenant, and those in a
 * second, of each webhook and of the key in whose name it acts. A sender without the required signature does not use up
 * the rates of the webhook and of the key. Thread-safe.
 */
final class WebhookDeliveryLimiter {
    /** Each lookup and each delivery blocks a thread of the server, and mostly a connection of the database. */
    static final int MAX_CONCURRENT_LOOKUPS = 8;

    static final int MAX_CONCURRENT_LOOKUPS_OF_NETWORK = 4;

    static final int MAX_CONCURRENT = 24;
    static final int MAX_CONCURRENT_OF_TENANT = 8;
    /** Requests of one source to a webhook with signatures, for each delivery that the webhook may accept. */
    static final int UNVERIFIED_FACTOR = 10;

    private static final String LOOKUPS_KEY = "lookups";
    private static final String NODE_KEY = "";

    private final KeyedCounter counter = new KeyedCounter();
    private final RequestRateLimiter unverified;
    private final RequestRateLimiter deliveries;
    private final RequestRateLimiter keys;

    /**
     * @param maxPerSecond deliveries to one webhook in a second; 0 for no limit
     * @param keys limits the requests of each API key
     */
    WebhookDeliveryLimiter(long maxPerSecond, RequestRateLimiter keys, LongSupplier nanos) {
        this.unverified = new RequestRateLimiter(maxPerSecond * UNVERIFIED_FACTOR, nanos);
        this.deliveries = new RequestRateLimiter(maxPerSecond, nanos);
        this.keys = keys;
    }

    /**
     * Acquires a permit to look up an address, which may be a guess. Returns how to release it.
     *
     * @param address the network address of the sender
     * @throws ProblemException (rate limited) if too many addresses are looked up, by all or by the network of the
     *     sender
     */
    Runnable acquireLookup(String address) {
        return acquire(
                LOOKUPS_KEY,
                MAX_CONCURRENT_LOOKUPS,
                "network " + FailedLoginLimiter.network(address),
                MAX_CONCURRENT_LOOKUPS_OF_NETWORK);
    }

    /**
     * Acquires a permit to handle a delivery. Returns how to release it.
     *
     * @throws ProblemException (rate limited) if the node or the tenant handles too many
     */
    Runnable acquire(String tenant) {
        return acquire(NODE_KEY, MAX_CONCURRENT, "tenant " + tenant, MAX_CONCURRENT_OF_TENANT);
    }

    private Runnable acquire(String shared, int maxShared, String own, int maxOwn) {
        if (!counter.tryAcquire(shared, maxShared)) {
            throw tooMany();
        }
        if (!counter.tryAcquire(own, maxOwn)) {
            counter.release(shared);
            throw tooMany();
        }
        return () -> {
            counter.release(own);
            counter.release(shared);
        };
    }

    private static ProblemException tooMany() {
        return new ProblemException(ProblemType.RATE_LIMITED, "too many deliveries at one time; wait");
    }

    /**
     * Counts a request before its body is read. Returns how long the sender must wait; empty if it need not.
     *
     * @param address the network address of the sender
     */
    Optional<Duration> throttleRequest(InboundWebhook webhook, String address) {
        String id = webhook.id().toString();
        return webhook.signature().isPresent()
                ? unverified.throttle(id + " " + FailedLoginLimiter.network(address))
                : deliveries.throttle(id);
    }

    /** Counts a delivery with a valid signature, if one is required. Returns how long the sender must wait. */
    Optional<Duration> throttleDelivery(InboundWebhook webhook) {
        Optional<Duration> pause = webhook.signature().isPresent()
                ? deliveries.throttle(webhook.id().toString())
                : Optional.empty();
        return pause.isPresent() ? pause : keys.throttle(webhook.owner());
    }
}
