package org.sallyport.connector;

import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.PinnedTool;

/**
 * A backend as it is now, on this node.
 *
 * @param definition as it was configured
 * @param status how it is
 * @param breaker whether its calls are sent, given how the last ones fared
 * @param calls its calls in figures
 * @param latency how long they have taken lately
 * @param tools how many tools can be called
 * @param quarantined how many cannot, because their definition changed
 */
public record BackendView(
        BackendDefinition definition,
        BackendStatus status,
        BreakerView breaker,
        HostedBackend.Calls calls,
        Latencies.Percentiles latency,
        int tools,
        int quarantined) {

    static BackendView of(HostedBackend backend) {
        int quarantined = (int) backend.pinned().stream()
                .filter(PinnedTool::present)
                .filter(PinnedTool::quarantined)
                .count();
        return new BackendView(
                backend.definition(),
                backend.status(),
                backend.breaker(),
                backend.calls(),
                backend.latency(),
                backend.tools().size() - quarantined,
                quarantined);
    }
}
