package org.sallyport.web.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.function.Predicate;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionState;
import org.sallyport.runner.RunWatch;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/** Counts what runs on this node. Backends are labels, tools are not: of those there may be many thousands. Thread-safe. */
final class RunFigures implements RunWatch.Listener {
    private static final double[] SECONDS = {
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600
    };
    private static final int MOST_BACKENDS = 200;
    private static final String OTHERS = "other";

    private final Counter ended;
    private final Histogram life;
    private final Histogram run;
    private final Counter calls;
    private final Histogram answered;
    private final Counter cost;
    private final Counter fallbacks;
    private final Labels backends;

    /** @param exists whether there is a backend of this name */
    RunFigures(PrometheusRegistry registry, Predicate<String> exists) {
        backends = new Labels(MOST_BACKENDS, OTHERS, exists);
        ended = Counter.builder()
                .name("sallyport_executions_ended_total")
                .help("Executions that ended on this node, by their state.")
                .labelNames("state")
                .register(registry);
        life = seconds("sallyport_execution_life_seconds", "From the acceptance of an execution to its end.")
                .register(registry);
        run = seconds("sallyport_execution_run_seconds", "From the start of the last run of an execution to its end.")
                .register(registry);
        calls = Counter.builder()
                .name("sallyport_tool_calls_total")
                .help("Tool calls that were answered, by backend and result: ok, or the code of the error.")
                .labelNames("backend", "result")
                .register(registry);
        cost = Counter.builder()
                .name("sallyport_tool_cost_total")
                .help("What tool calls were charged, by backend; what was taken back is in it.")
                .labelNames("backend")
                .register(registry);
        fallbacks = Counter.builder()
                .name("sallyport_tool_fallbacks_total")
                .help("Tool calls that were made to another backend, since theirs could not be reached.")
                .labelNames("backend", "other")
                .register(registry);
        answered = seconds("sallyport_tool_call_seconds", "From a script's call to its answer.")
                .labelNames("backend")
                .register(registry);
    }

    private static Histogram.Builder seconds(String name, String help) {
        return Histogram.builder().name(name).help(help).classicOnly().classicUpperBounds(SECONDS);
    }

    @Override
    public void ended(ExecutionState state, Duration whole, Duration last) {
        ended.labelValues(state.name()).inc();
        life.observe(seconds(whole));
        run.observe(seconds(last));
    }

    @Override
    public void answered(ToolName tool, ToolResult result, Duration duration) {
        String backend = backends.of(tool.backend());
        String code = result instanceof ToolResult.Failure failure
                ? failure.error().code().code()
                : "ok";
        calls.labelValues(backend, code).inc();
        answered.labelValues(backend).observe(seconds(duration));
    }

    @Override
    public void charged(ToolName tool, Cost charge) {
        cost.labelValues(backends.of(tool.backend())).inc(charge.micros() / 1e6);
    }

    @Override
    public void fellBack(ToolName tool, ToolName other) {
        fallbacks
                .labelValues(backends.of(tool.backend()), backends.of(other.backend()))
                .inc();
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
