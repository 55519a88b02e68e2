package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.stream.Collectors;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.ExecutionId;

/** Logs the blocked attempts of an execution in one line when it has ended. Stateless. */
final class BlockedAttemptLog {
    private static final Logger LOG = System.getLogger(BlockedAttemptLog.class.getName());

    private BlockedAttemptLog() {}

    static void logAttempts(String tenant, ExecutionId execution, BlockedAttempts attempts) {
        if (attempts.isEmpty() || !LOG.isLoggable(Level.INFO)) {
            return;
        }
        String names = attempts.counts().stream()
                .map(each -> each.kind().text()
                        + (each.name().isEmpty() ? "s of further names" : " " + RefusedCallLog.quoteForLog(each.name()))
                        + " (" + each.count() + ")")
                .collect(Collectors.joining(", "));
        LOG.log(
                Level.INFO,
                "execution {0} of tenant {1}: its script made {2} blocked attempts: {3}",
                execution,
                RefusedCallLog.quoteForLog(tenant),
                Long.toString(attempts.total()),
                names);
    }
}
