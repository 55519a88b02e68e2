package org.sallyport.web.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.function.Predicate;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionState;
import org.sallyport.runner.RunMetricsListener;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/**
 * Counts executions and calls on this node. Backends are labels; tools are not, because there may be thousands of them.
 * Thread-safe.
 */
final class ExecutionMetrics implements RunMetricsListener.RunObserver {
    private static final double[] BUCKET_SECONDS = {
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600
    };
    private static final int MAX_BACKENDS = 200;
    private static final String OTHER = "other";

    private final Counter executionsEnded;
    private final Histogram lifeSeconds;
    private final Histogram runSeconds;
    private final Counter calls;
    private final Histogram callSeconds;
    private final Counter cost;
    private final Counter fallbacks;
    private final Counter blockedAttempts;
    private final BoundedLabels backends;

    /** @param exists whether there is a backend of this name */
    ExecutionMetrics(PrometheusRegistry registry, Predicate<String> exists) {
        backends = new BoundedLabels(MAX_BACKENDS, OTHER, exists);
        executionsEnded = Counter.builder()
                .name("sallyport_executions_ended_total")
                .help("Executions that ended on this node, by their state.")
                .labelNames("state")
                .register(registry);
        lifeSeconds = seconds("sallyport_execution_life_seconds", "Time from acceptance of an execution to its end.")
                .register(registry);
        runSeconds = seconds("sallyport_execution_run_seconds", "Time from the last start of an execution to its end.")
                .register(registry);
        calls = Counter.builder()
                .name("sallyport_tool_calls_total")
                .help("Tool calls that were answered, by backend and result: ok, or the code of the error.")
                .labelNames("backend", "result")
                .register(registry);
        cost = Counter.builder()
                .name("sallyport_tool_cost_total")
                .help("Cost charged for tool calls, by backend; refunds are not subtracted.")
                .labelNames("backend")
                .register(registry);
        fallbacks = Counter.builder()
                .name("sallyport_tool_fallbacks_total")
                .help("Tool calls sent to a fallback backend because their own was unreachable.")
                .labelNames("backend", "other")
                .register(registry);
        blockedAttempts = Counter.builder()
                .name("sallyport_blocked_attempts_total")
                .help("Attempts of scripts to use what they may not use, by kind; of executions that ended here.")
                .labelNames("kind")
                .register(registry);
        callSeconds = seconds("sallyport_tool_call_seconds", "Time from a script's tool call to its result.")
                .labelNames("backend")
                .register(registry);
    }

    private static Histogram.Builder seconds(String name, String help) {
        return Histogram.builder().name(name).help(help).classicOnly().classicUpperBounds(BUCKET_SECONDS);
    }

    @Override
    public void onExecutionFinished(ExecutionState state, Duration whole, Duration last) {
        executionsEnded.labelValues(state.name()).inc();
        lifeSeconds.observe(seconds(whole));
        runSeconds.observe(seconds(last));
    }

    @Override
    public void onAttemptsBlocked(BlockedAttempts attempts) {
        attempts.counts()
                .forEach(each -> blockedAttempts.labelValues(each.kind().text()).inc(each.count()));
    }

    @Override
    public void onCallAnswered(ToolName tool, ToolResult result, Duration duration) {
        String backend = backends.labelFor(tool.backend());
        String code = result instanceof ToolResult.ToolFailure failure
                ? failure.error().code().code()
                : "ok";
        calls.labelValues(backend, code).inc();
        callSeconds.labelValues(backend).observe(seconds(duration));
    }

    @Override
    public void onCallCharged(ToolName tool, Cost charge) {
        cost.labelValues(backends.labelFor(tool.backend())).inc(charge.micros() / 1e6);
    }

    @Override
    public void onFallback(ToolName tool, ToolName other) {
        fallbacks
                .labelValues(backends.labelFor(tool.backend()), backends.labelFor(other.backend()))
                .inc();
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
