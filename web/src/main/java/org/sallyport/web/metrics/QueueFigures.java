package org.sallyport.web.metrics;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.Map;
import org.sallyport.execution.Backlog;
import org.sallyport.execution.Census;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.StoreUnavailableException;

/** Shows what has not ended in the whole installation: one look at the database for each answer. */
final class QueueFigures {
    private final Census census;
    private Map<ExecutionState, Integer> counts = Map.of();
    private double oldest;
    private boolean up;

    QueueFigures(PrometheusRegistry registry, Census census) {
        this.census = census;
        GaugeWithCallback.builder()
                .name("sallyport_executions")
                .help("Executions of all nodes that have not ended, by their state.")
                .labelNames("state")
                .callback(callback -> counts.forEach((state, count) -> callback.call(count, state.name())))
                .register(registry);
        GaugeWithCallback.builder()
                .name("sallyport_oldest_pending_seconds")
                .help("How long the oldest execution that nobody runs has waited; 0 when none does.")
                .callback(callback -> callback.call(oldest))
                .register(registry);
        GaugeWithCallback.builder()
                .name("sallyport_database_up")
                .help("1 when the database answered this very question.")
                .callback(callback -> callback.call(up ? 1 : 0))
                .register(registry);
    }

    /** Reads it anew; of a database that does not answer only that is shown. */
    void read() {
        counts = Map.of();
        oldest = 0;
        try {
            Backlog backlog = census.backlog(java.util.Optional.empty());
            Map<ExecutionState, Integer> now = new EnumMap<>(ExecutionState.class);
            for (ExecutionState state : ExecutionState.values()) {
                if (!state.terminal()) {
                    now.put(state, 0);
                }
            }
            for (Backlog.Row row : backlog.rows()) {
                now.merge(row.state(), row.count(), Integer::sum);
                if (row.state() == ExecutionState.PENDING) {
                    oldest = Math.max(oldest, row.oldest().toMillis() / 1e3);
                }
            }
            counts = now;
            up = true;
        } catch (StoreUnavailableException e) {
            up = false;
        }
    }
}
