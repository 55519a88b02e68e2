package org.sallyport.quota;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * Stores the quotas of tenants and reads their usage. All methods throw the store's own exception when it does not
 * answer. Thread-safe.
 */
public interface QuotaStore {

    /** Returns the quotas that were set for the tenant. Missing quotas have their default. */
    Map<QuotaType, Long> findOverrides(String tenant);

    /** Replaces all quotas that are set for the tenant. */
    void setOverrides(String tenant, Map<QuotaType, Long> quotas, String by);

    /** Returns the bytes of all artifacts of the tenant. */
    long artifactBytes(String tenant);

    /** Returns the bytes of all journals of the tenant. Reads one row for each of its executions. */
    long journalBytes(String tenant);

    /** Returns the number of today's calls that were allocated to nodes. */
    long callsToday(String tenant);

    /**
     * Allocates calls of today, in total at most {@code maxCalls} across all nodes.
     *
     * @param wanted number of calls
     */
    CallSlice takeCalls(String tenant, long wanted, long maxCalls);

    /**
     * An allocation of calls.
     *
     * @param calls number of calls, possibly 0
     * @param endsAt end of the day that the calls belong to
     * @param remaining remaining time of that day by the store's clock
     */
    record CallSlice(long calls, Instant endsAt, Duration remaining) {}
}
