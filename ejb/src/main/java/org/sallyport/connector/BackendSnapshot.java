package org.sallyport.connector;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.PinnedToolDefinition;

/**
 * State of a backend on this node at one moment.
 *
 * @param definition the configured definition
 * @param identifier its identifier in scripts
 * @param status state and last error
 * @param breaker state of the circuit breaker
 * @param calls counts of calls
 * @param latency latency of recent calls
 * @param toolCount number of callable tools
 * @param quarantinedCount number of tools in quarantine because their definition changed
 * @param unusableCount number of other tools that cannot be called because of their declarations
 */
public record BackendSnapshot(
        BackendDefinition definition,
        String identifier,
        BackendStatus status,
        CircuitBreakerSnapshot breaker,
        ManagedBackend.BackendCallCounts calls,
        LatencyHistogram.LatencyPercentiles latency,
        int toolCount,
        int quarantinedCount,
        int unusableCount) {

    /** A configured backend that this node cannot host for {@code reason}. */
    static BackendSnapshot notHosted(BackendDefinition definition, String identifier, String reason, Instant since) {
        return new BackendSnapshot(
                definition,
                identifier,
                new BackendStatus(BackendStatus.BackendState.DOWN, Optional.of(reason), since),
                new CircuitBreakerSnapshot(
                        CircuitBreakerSnapshot.CircuitBreakerState.CLOSED,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()),
                new ManagedBackend.BackendCallCounts(0, 0, 0, 0, 0, 0),
                new LatencyHistogram.LatencyPercentiles(0, 0, 0, 0),
                0,
                0,
                0);
    }

    static BackendSnapshot of(ManagedBackend backend, String identifier) {
        List<PinnedToolDefinition> declared = backend.pinnedTools().stream()
                .filter(PinnedToolDefinition::available)
                .toList();
        List<PinnedToolDefinition> accepted =
                declared.stream().filter(tool -> !tool.isQuarantined()).toList();
        Map<String, String> unusableTools = backend.unusableTools();
        int unusable = (int) accepted.stream()
                .filter(tool -> unusableTools.containsKey(tool.name()))
                .count();
        return new BackendSnapshot(
                backend.definition(),
                identifier,
                backend.status(),
                backend.breaker(),
                backend.calls(),
                backend.latency(),
                accepted.size() - unusable,
                declared.size() - accepted.size(),
                unusable);
    }
}
