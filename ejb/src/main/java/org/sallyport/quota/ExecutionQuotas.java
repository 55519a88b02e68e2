package org.sallyport.quota;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * The quotas that running executions count against.
 *
 * @param calls tool calls
 * @param storedBytes bytes of artifacts and journals
 */
public record ExecutionQuotas(DailyCallQuota calls, CountedQuotaCheck storedBytes) {

    /** Creates the checks from the quotas of the tenants. */
    public static ExecutionQuotas of(QuotaStore store, StoredBytesCounter storedBytes, QuotaLimits quotas) {
        return new ExecutionQuotas(
                new DailyCallQuota(store, quotas, System::nanoTime),
                new CountedQuotaCheck(
                        storedBytes::countBytes,
                        tenant -> quotas.limit(tenant, QuotaType.STORED_BYTES),
                        System::nanoTime));
    }

    /** Creates checks without limits. */
    public static ExecutionQuotas unlimited() {
        QuotaStore nothing = new QuotaStore() {
            @Override
            public Map<QuotaType, Long> findOverrides(String tenant) {
                return Map.of();
            }

            @Override
            public void setOverrides(String tenant, Map<QuotaType, Long> quotas, String by) {
                throw new UnsupportedOperationException();
            }

            @Override
            public long artifactBytes(String tenant) {
                return 0;
            }

            @Override
            public long journalBytes(String tenant) {
                return 0;
            }

            @Override
            public long callsToday(String tenant) {
                return 0;
            }

            @Override
            public CallSlice takeCalls(String tenant, long wanted, long maxCalls) {
                return new CallSlice(wanted, Instant.MAX, Duration.ofDays(1));
            }
        };
        return of(
                nothing,
                new StoredBytesCounter(nothing, System::nanoTime),
                new QuotaLimits(nothing, Map.of(QuotaType.LIVE, 0L), System::nanoTime, Duration.ofDays(1)));
    }
}
