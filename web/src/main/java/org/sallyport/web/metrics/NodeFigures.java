package org.sallyport.web.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.connector.BackendView;
import org.sallyport.connector.Backends;
import org.sallyport.runner.LeaseKeeper;
import org.sallyport.runner.Runner;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.submission.JobDispatch;

/** Shows how this node is when it is asked. */
final class NodeFigures {
    private NodeFigures() {}

    static void register(
            PrometheusRegistry registry,
            Runner runner,
            LeaseKeeper lease,
            Sandbox sandbox,
            JmsToolBridge bridge,
            Backends backends,
            JobDispatch dispatch) {
        gauge(
                registry,
                "sallyport_jobs_held",
                "Jobs of this node that wait for their tenant's turn before they go to the broker.",
                dispatch::held);
        gauge(registry, "sallyport_live_executions", "Executions that this node runs.", runner::liveCount);
        gauge(registry, "sallyport_free_places", "How many more executions it would take.", runner::freePlaces);
        gauge(
                registry,
                "sallyport_lease_held",
                "1 while the node has its lease and takes work.",
                () -> lease.standing() == LeaseKeeper.Standing.HELD ? 1 : 0);
        gauge(
                registry,
                "sallyport_lease_age_seconds",
                "Since the lease was renewed.",
                () -> lease.age().toMillis() / 1e3);
        gauge(
                registry,
                "sallyport_workers",
                "Worker processes.",
                () -> sandbox.status().workers());
        gauge(
                registry,
                "sallyport_workers_warm",
                "Workers that nobody uses yet.",
                () -> sandbox.status().warm());
        gauge(
                registry,
                "sallyport_sessions",
                "Scripts in the workers.",
                () -> sandbox.status().sessions());
        gauge(registry, "sallyport_open_calls", "Tool calls that are sent and not answered.", bridge::open);
        CounterWithCallback.builder()
                .name("sallyport_late_replies_total")
                .help("Answers of tools that came when nobody waited for them any more.")
                .callback(callback -> callback.call(bridge.lateReplies()))
                .register(registry);
        CounterWithCallback.builder()
                .name("sallyport_strange_replies_total")
                .help("Messages where answers come that are none, or answer no call that this node ever made.")
                .callback(callback -> callback.call(bridge.strangeReplies()))
                .register(registry);
        backends(registry, backends);
    }

    private static void gauge(PrometheusRegistry registry, String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }

    private static void backends(PrometheusRegistry registry, Backends backends) {
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
                .help("Calls of a configured backend: running, and waiting for their turn.")
                .labelNames("backend", "phase")
                .callback(callback -> backends.list().forEach(view -> {
                    callback.call(view.calls().running(), name(view), "running");
                    callback.call(view.calls().waiting(), name(view), "waiting");
                }))
                .register(registry);
        CounterWithCallback.builder()
                .name("sallyport_backend_retries_total")
                .help("Attempts of a configured backend's calls that were made because one before was not answered.")
                .labelNames("backend")
                .callback(callback -> backends.list()
                        .forEach(view -> callback.call(view.calls().retried(), name(view))))
                .register(registry);
    }

    private static String name(BackendView view) {
        return view.definition().name();
    }
}
