package org.sallyport.quota;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the calls of tenants in a day. A node takes a hundredth of what a tenant may call at a time, so that most calls ask
 * nobody; what it has not used when it stops, or when the day ends, is gone. Where there is no limit nothing is counted.
 * Thread-safe.
 */
public final class CallQuota {
    private static final long PART = 100;
    private static final long LARGEST = 1_000;
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final QuotaStore store;
    private final Quotas quotas;
    private final LongSupplier nanos;
    private final Map<String, Hand> hands = new ConcurrentHashMap<>();

    /** What one tenant may still call from this node. */
    private static final class Hand {
        private long left;
        private long until;
        private @Nullable Refusal refused;
        private long refusedUntil;
    }

    /**
     * Nothing is left of the day's.
     *
     * @param most how many the tenant may make
     * @param renewsAt when the next day begins
     */
    public record Refusal(long most, Instant renewsAt) {}

    /** @param nanos a clock that never goes back, in nanoseconds */
    public CallQuota(QuotaStore store, Quotas quotas, LongSupplier nanos) {
        this.store = store;
        this.quotas = quotas;
        this.nanos = nanos;
    }

    /** Counts a call; why it may not be made, if so. Now and then it waits for the store. */
    public Optional<Refusal> take(String tenant) {
        long most = quotas.most(tenant, Quota.TOOL_CALLS);
        if (most == 0) {
            return Optional.empty();
        }
        Hand hand = hands.computeIfAbsent(tenant, any -> new Hand());
        synchronized (hand) {
            long now = nanos.getAsLong();
            if (hand.left > 0 && now - hand.until < 0) {
                hand.left--;
                return Optional.empty();
            }
            Refusal refused = hand.refused;
            if (refused != null && refused.most() == most && now - hand.refusedUntil < 0) {
                return Optional.of(refused);
            }
            return fill(tenant, hand, most);
        }
    }

    private Optional<Refusal> fill(String tenant, Hand hand, long most) {
        QuotaStore.Slice slice = store.takeCalls(tenant, Math.max(1, Math.min(LARGEST, most / PART)), most);
        long now = nanos.getAsLong();
        if (slice.calls() == 0) {
            Refusal refusal = new Refusal(most, slice.endsAt());
            hand.refused = refusal;
            hand.refusedUntil = now + Math.min(PAUSE_NANOS, slice.lasts().toNanos());
            return Optional.of(refusal);
        }
        hand.refused = null;
        hand.left = slice.calls() - 1;
        hand.until = now + Duration.ofMillis(slice.lasts().toMillis()).toNanos();
        return Optional.empty();
    }
}
