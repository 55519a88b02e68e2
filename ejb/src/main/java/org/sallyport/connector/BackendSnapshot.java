package org.sallyport.connector;

import java.time.Instant;
import java.util.Optional;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.PinnedToolDefinition;

/**
 * State of a backend on this node at one moment.
 *
 * @param definition the configured definition
 * @param status state and last error
 * @param breaker state of the circuit breaker
 * @param calls counts of calls
 * @param latency latency of recent calls
 * @param toolCount number of callable tools
 * @param quarantinedCount number of tools in quarantine because their definition changed
 */
public record BackendSnapshot(
        BackendDefinition definition,
        BackendStatus status,
        CircuitBreakerSnapshot breaker,
        ManagedBackend.BackendCallCounts calls,
        LatencyHistogram.LatencyPercentiles latency,
        int toolCount,
        int quarantinedCount) {

    /** A configured backend that this node cannot host for {@code reason}. */
    static BackendSnapshot notHosted(BackendDefinition definition, String reason, Instant since) {
        return new BackendSnapshot(
                definition,
                new BackendStatus(BackendStatus.BackendState.DOWN, Optional.of(reason), since),
                new CircuitBreakerSnapshot(
                        CircuitBreakerSnapshot.CircuitBreakerState.CLOSED,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()),
                new ManagedBackend.BackendCallCounts(0, 0, 0, 0, 0, 0),
                new LatencyHistogram.LatencyPercentiles(0, 0, 0, 0),
                0,
                0);
    }

    static BackendSnapshot of(ManagedBackend backend) {
        int quarantined = (int) backend.pinnedTools().stream()
                .filter(PinnedToolDefinition::available)
                .filter(PinnedToolDefinition::isQuarantined)
                .count();
        return new BackendSnapshot(
                backend.definition(),
                backend.status(),
                backend.breaker(),
                backend.calls(),
                backend.latency(),
                backend.tools().size() - quarantined,
                quarantined);
    }
}
