package org.sallyport.web.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.LongSupplier;
import org.sallyport.telemetry.SpanExportMetrics;

/** Metrics of the span exporter: sent and dropped spans, failed requests, and executions that wait. */
final class SpanMetrics {
    private SpanMetrics() {}

    static void register(PrometheusRegistry registry, SpanExportMetrics spans) {
        counter(registry, "sallyport_spans_sent_total", "Spans that the collector accepted.", spans::sent);
        counter(registry, "sallyport_spans_dropped_total", "Spans that the collector refused.", spans::dropped);
        counter(
                registry,
                "sallyport_spans_dropped_executions_total",
                "Executions whose spans the collector refused, or did not accept in time.",
                spans::droppedExecutions);
        counter(
                registry,
                "sallyport_spans_failed_requests_total",
                "Requests that the collector did not accept.",
                spans::failures);
        GaugeWithCallback.builder()
                .name("sallyport_spans_waiting_executions")
                .help("Ended executions whose spans this node has yet to send.")
                .callback(callback -> callback.call(spans.waiting()))
                .register(registry);
    }

    private static void counter(PrometheusRegistry registry, String name, String help, LongSupplier value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsLong()))
                .register(registry);
    }
}
