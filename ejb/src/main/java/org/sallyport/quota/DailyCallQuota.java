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
 * Counts the calls of tenants per day. A node allocates a hundredth of the tenant's quota at a time, so that most calls
 * need no store access. The unused rest of an allocation is lost when the node stops or the day ends. Calls without a
 * limit are not counted. Thread-safe.
 */
public final class DailyCallQuota {
    private static final long SLICES_PER_QUOTA = 100;
    private static final long MAX_SLICE = 1_000;
    private static final long REFUSAL_CACHE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final QuotaStore store;
    private final QuotaLimits quotas;
    private final LongSupplier nanos;
    private final Map<String, LocalCallSlice> slices = new ConcurrentHashMap<>();

    /** Remaining calls of one tenant on this node. */
    private static final class LocalCallSlice {
        private long remaining;
        private long expiresAtNanos;
        private @Nullable CallQuotaExceeded refusal;
        private long refusalExpiresAtNanos;
    }

    /**
     * The quota of the day is used up.
     *
     * @param maxCalls quota of the tenant
     * @param renewsAt when the next day begins
     */
    public record CallQuotaExceeded(long maxCalls, Instant renewsAt) {}

    /** @param nanos a monotonic clock, in nanoseconds */
    public DailyCallQuota(QuotaStore store, QuotaLimits quotas, LongSupplier nanos) {
        this.store = store;
        this.quotas = quotas;
        this.nanos = nanos;
    }

    /** Counts a call. Returns the reason when the quota is exceeded. Blocks on the store from time to time. */
    public Optional<CallQuotaExceeded> consumeCall(String tenant) {
        long maxCalls = quotas.limit(tenant, QuotaType.TOOL_CALLS);
        if (maxCalls == 0) {
            return Optional.empty();
        }
        LocalCallSlice hand = slices.computeIfAbsent(tenant, any -> new LocalCallSlice());
        synchronized (hand) {
            long now = nanos.getAsLong();
            if (hand.remaining > 0 && now - hand.expiresAtNanos < 0) {
                hand.remaining--;
                return Optional.empty();
            }
            CallQuotaExceeded refused = hand.refusal;
            if (refused != null && refused.maxCalls() == maxCalls && now - hand.refusalExpiresAtNanos < 0) {
                return Optional.of(refused);
            }
            return refill(tenant, hand, maxCalls);
        }
    }

    private Optional<CallQuotaExceeded> refill(String tenant, LocalCallSlice hand, long maxCalls) {
        QuotaStore.CallSlice slice =
                store.takeCalls(tenant, Math.max(1, Math.min(MAX_SLICE, maxCalls / SLICES_PER_QUOTA)), maxCalls);
        long now = nanos.getAsLong();
        if (slice.calls() == 0) {
            CallQuotaExceeded refusal = new CallQuotaExceeded(maxCalls, slice.endsAt());
            hand.refusal = refusal;
            hand.refusalExpiresAtNanos =
                    now + Math.min(REFUSAL_CACHE_NANOS, slice.remaining().toNanos());
            return Optional.of(refusal);
        }
        hand.refusal = null;
        hand.remaining = slice.calls() - 1;
        hand.expiresAtNanos =
                now + Duration.ofMillis(slice.remaining().toMillis()).toNanos();
        return Optional.empty();
    }
}
