package org.sallyport.connector;

import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.PinnedToolDefinition;

/**
 * A backend as it is now, on this node.
 *
 * @param definition as it was configured
 * @param status how it is
 * @param breaker whether its calls are sent, given how the last ones fared
 * @param calls its calls in figures
 * @param latency how long they have taken lately
 * @param toolCount how many tools can be called
 * @param quarantinedCount how many cannot, because their definition changed
 */
public record BackendSnapshot(
        BackendDefinition definition,
        BackendStatus status,
        CircuitBreakerSnapshot breaker,
        ManagedBackend.BackendCallCounts calls,
        LatencyHistogram.LatencyPercentiles latency,
        int toolCount,
        int quarantinedCount) {

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
