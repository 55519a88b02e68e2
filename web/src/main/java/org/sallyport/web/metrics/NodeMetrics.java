package org.sallyport.web.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import org.sallyport.backup.BackupService;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.connector.BackendSnapshot;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.runner.ExecutionRunner;
import org.sallyport.runner.LeaseManager;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.submission.JobDispatcher;

/** Gauges of the current state of this node. */
final class NodeMetrics {
    private NodeMetrics() {}

    static void register(
            PrometheusRegistry registry,
            ExecutionRunner runner,
            LeaseManager lease,
            Sandbox sandbox,
            JmsToolBridge bridge,
            BackendRegistry backends,
            JobDispatcher dispatch,
            MemoryBudgets budgets) {
        gauge(
                registry,
                "sallyport_jobs_held",
                "Jobs that this node holds until their tenant's turn, before it sends them to the broker.",
                dispatch::queuedCount);
        gauge(registry, "sallyport_live_executions", "Executions that this node runs.", runner::liveCount);
        gauge(registry, "sallyport_free_places", "How many more executions this node would accept.", runner::freeSlots);
        gauge(
                registry,
                "sallyport_lease_held",
                "1 while the node has its lease and takes work.",
                () -> lease.state() == LeaseManager.LeaseState.HELD ? 1 : 0);
        gauge(
                registry,
                "sallyport_lease_age_seconds",
                "Time since the lease was last renewed.",
                () -> lease.renewalAge().toMillis() / 1e3);
        gauge(
                registry,
                "sallyport_workers",
                "Worker processes.",
                () -> sandbox.status().workers());
        gauge(
                registry,
                "sallyport_workers_warm",
                "Idle workers that no script has used yet.",
                () -> sandbox.status().idleWorkers());
        gauge(
                registry,
                "sallyport_sessions",
                "Scripts that the workers run.",
                () -> sandbox.status().sessions());
        gauge(registry, "sallyport_open_calls", "Tool calls that are sent and not answered.", bridge::pendingCount);
        CounterWithCallback.builder()
                .name("sallyport_late_replies_total")
                .help("Tool replies that arrived after their call had ended.")
                .callback(callback -> callback.call(bridge.lateReplies()))
                .register(registry);
        CounterWithCallback.builder()
                .name("sallyport_strange_replies_total")
                .help("Messages on the reply queue that are not replies, or reply to no call of this node.")
                .callback(callback -> callback.call(bridge.unsolicitedReplies()))
                .register(registry);
        backends(registry, backends);
        budgets(registry, budgets);
    }

    /** Missing where the service takes no backups, so that an alert for old backups does not fire there. */
    static void registerBackups(PrometheusRegistry registry, BackupService backups) {
        GaugeWithCallback.builder()
                .name("sallyport_backup_last_success_seconds")
                .help("Unix time of the newest backup of the embedded database; 0 if there is none.")
                .callback(callback -> {
                    if (backups.isSupported()) {
                        callback.call(backups.newest()
                                .map(file -> file.takenAt().toEpochMilli() / 1e3)
                                .orElse(0.0));
                    }
                })
                .register(registry);
    }

    private static void gauge(PrometheusRegistry registry, String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }

    private static void backends(PrometheusRegistry registry, BackendRegistry backends) {
        GaugeWithCallback.builder()
                .name("sallyport_backend_state")
                .help("1 for the state that a configured backend is in, as this node sees it.")
                .labelNames("backend", "state")
                .callback(callback -> backends.list()
                        .forEach(view -> callback.call(
                                1, name(view), view.status().state().name().toLowerCase(Locale.ROOT))))
                .register(registry);
        GaugeWithCallback.builder()
                .name("sallyport_backend_calls")
                .help("Calls of a configured backend: running, and waiting in its queue.")
                .labelNames("backend", "phase")
                .callback(callback -> backends.list().forEach(view -> {
                    callback.call(view.calls().running(), name(view), "running");
                    callback.call(view.calls().waiting(), name(view), "waiting");
                }))
                .register(registry);
        CounterWithCallback.builder()
                .name("sallyport_backend_retries_total")
                .help("Retries of a configured backend's calls after an attempt that was not answered.")
                .labelNames("backend")
                .callback(callback -> backends.list()
                        .forEach(view -> callback.call(view.calls().retried(), name(view))))
                .register(registry);
    }

    private static void budgets(PrometheusRegistry registry, MemoryBudgets budgets) {
        GaugeWithCallback.builder()
                .name("sallyport_memory_reserved_bytes")
                .help("Memory that work in progress has reserved.")
                .labelNames("budget")
                .callback(callback -> budgets.all().forEach(budget -> callback.call(budget.usedBytes(), budget.name())))
                .register(registry);
        GaugeWithCallback.builder()
                .name("sallyport_memory_waiting")
                .help("Work that waits for memory.")
                .labelNames("budget")
                .callback(callback ->
                        budgets.all().forEach(budget -> callback.call(budget.waitingCount(), budget.name())))
                .register(registry);
    }

    private static String name(BackendSnapshot view) {
        return view.definition().name();
    }
}
