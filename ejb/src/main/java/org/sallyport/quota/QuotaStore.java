package org.sallyport.quota;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * Quotas that tenants have of their own, and what they take up. All methods throw the store's own exception when it does not
 * answer. Thread-safe.
 */
public interface QuotaStore {

    /** What was set for the tenant; what is not in it is as for all. */
    Map<QuotaType, Long> findOverrides(String tenant);

    /** Sets all that is set for the tenant, in place of what was. */
    void setOverrides(String tenant, Map<QuotaType, Long> quotas, String by);

    /** Bytes of all artifacts of the tenant. */
    long storedBytes(String tenant);

    /** Calls that were given out to nodes today. */
    long callsToday(String tenant);

    /**
     * Gives out calls of today, no more than {@code most} whoever asks.
     *
     * @param wanted how many
     */
    CallSlice takeCalls(String tenant, long wanted, long most);

    /**
     * What was given out.
     *
     * @param calls how many, perhaps none
     * @param endsAt when the day ends for which they are
     * @param remaining how much of it is left, by the store's clock
     */
    record CallSlice(long calls, Instant endsAt, Duration remaining) {}
}
