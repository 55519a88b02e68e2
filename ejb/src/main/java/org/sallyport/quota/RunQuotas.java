package org.sallyport.quota;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * What running executions count against.
 *
 * @param calls calls of tools
 * @param storedBytes bytes of artifacts
 */
public record RunQuotas(CallQuota calls, CountedQuota storedBytes) {

    /** As the tenants' quotas say. */
    public static RunQuotas of(QuotaStore store, Quotas quotas) {
        return new RunQuotas(
                new CallQuota(store, quotas, System::nanoTime),
                new CountedQuota(
                        store::storedBytes, tenant -> quotas.most(tenant, Quota.STORED_BYTES), System::nanoTime));
    }

    /** Where nobody has any. */
    public static RunQuotas unlimited() {
        QuotaStore nothing = new QuotaStore() {
            @Override
            public Map<Quota, Long> of(String tenant) {
                return Map.of();
            }

            @Override
            public void set(String tenant, Map<Quota, Long> quotas, String by) {
                throw new UnsupportedOperationException();
            }

            @Override
            public long storedBytes(String tenant) {
                return 0;
            }

            @Override
            public long calls(String tenant) {
                return 0;
            }

            @Override
            public Slice takeCalls(String tenant, long wanted, long most) {
                return new Slice(wanted, Instant.MAX, Duration.ofDays(1));
            }
        };
        return of(nothing, new Quotas(nothing, Map.of(Quota.LIVE, 0L), System::nanoTime, Duration.ofDays(1)));
    }
}
