package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptCount;
import org.sallyport.execution.ExecutionId;

/**
 * Logs the blocked attempts of executions that have ended, at most one execution a minute per tenant, with a few names.
 * The execution itself has all names. Thread-safe.
 */
final class BlockedAttemptLog {
    private static final Logger LOG = System.getLogger(BlockedAttemptLog.class.getName());
    private static final int MAX_LOGGED_NAMES = 5;

    private final TenantLogLimiter limiter;

    /** @param nanoTime a monotonic clock, in nanoseconds */
    BlockedAttemptLog(LongSupplier nanoTime) {
        this.limiter = new TenantLogLimiter(nanoTime);
    }

    void logAttempts(String tenant, ExecutionId execution, BlockedAttempts attempts) {
        limiter.tryAcquire(tenant)
                .ifPresent(count -> LOG.log(
                        Level.INFO,
                        "execution {0} of tenant {1}: its script made {2} blocked attempts: {3}"
                                + " ({4} executions of its tenant with blocked attempts so far)",
                        execution,
                        RefusedCallLog.quoteForLog(tenant),
                        Long.toString(attempts.total()),
                        describe(attempts.counts()),
                        count));
    }

    private static String describe(List<BlockedAttemptCount> counts) {
        String names = counts.stream()
                .limit(MAX_LOGGED_NAMES)
                .map(each -> each.kind().text()
                        + (each.name().isEmpty() ? "s of further names" : " " + RefusedCallLog.quoteForLog(each.name()))
                        + " (" + each.count() + ")")
                .collect(Collectors.joining(", "));
        return counts.size() <= MAX_LOGGED_NAMES ? names : names + ", and others";
    }
}
