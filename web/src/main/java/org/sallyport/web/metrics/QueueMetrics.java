package org.sallyport.web.metrics;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.Map;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.UnfinishedCounts;

/** Gauges of the unfinished executions in the whole installation. Queries the database once per scrape. */
final class QueueMetrics {
    private final ExecutionCounts executionCounts;
    private Map<ExecutionState, Integer> counts = Map.of();
    private double oldestPendingSeconds;
    private boolean databaseUp;

    QueueMetrics(PrometheusRegistry registry, ExecutionCounts census) {
        this.executionCounts = census;
        GaugeWithCallback.builder()
                .name("sallyport_executions")
                .help("Executions of all nodes that have not ended, by their state.")
                .labelNames("state")
                .callback(callback -> counts.forEach((state, count) -> callback.call(count, state.name())))
                .register(registry);
        GaugeWithCallback.builder()
                .name("sallyport_oldest_pending_seconds")
                .help("How long the oldest execution that no node runs has waited; 0 when there is none.")
                .callback(callback -> callback.call(oldestPendingSeconds))
                .register(registry);
        GaugeWithCallback.builder()
                .name("sallyport_database_up")
                .help("1 when the database answered the query for these metrics.")
                .callback(callback -> callback.call(databaseUp ? 1 : 0))
                .register(registry);
    }

    /** Reads the values again. If the database is unavailable, reports only that. */
    void refresh() {
        counts = Map.of();
        oldestPendingSeconds = 0;
        try {
            UnfinishedCounts backlog = executionCounts.unfinishedCounts(java.util.Optional.empty());
            Map<ExecutionState, Integer> now = new EnumMap<>(ExecutionState.class);
            for (ExecutionState state : ExecutionState.values()) {
                if (!state.isTerminal()) {
                    now.put(state, 0);
                }
            }
            for (UnfinishedCounts.UnfinishedCount row : backlog.counts()) {
                now.merge(row.state(), row.count(), Integer::sum);
                if (row.state() == ExecutionState.PENDING) {
                    oldestPendingSeconds =
                            Math.max(oldestPendingSeconds, row.oldest().toMillis() / 1e3);
                }
            }
            counts = now;
            databaseUp = true;
        } catch (StoreUnavailableException e) {
            databaseUp = false;
        }
    }
}
