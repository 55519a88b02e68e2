package org.sallyport.telemetry;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionSummary;

/** Attributes of the span of an execution. */
final class ExecutionSpanAttributes {
    private ExecutionSpanAttributes() {}

    static Map<String, Object> of(Execution execution) {
        ExecutionSummary summary = execution.summary();
        Map<String, Object> attributes = new HashMap<>();
        attributes.put("sallyport.execution.id", summary.id().toString());
        attributes.put("sallyport.tenant", summary.tenant());
        attributes.put("sallyport.state", summary.state().name());
        attributes.put("sallyport.tier", summary.tier().name().toLowerCase(Locale.ROOT));
        attributes.put("sallyport.attempts", (long) summary.attempt());
        summary.errorCode().ifPresent(code -> attributes.put("error.type", code));
        summary.capability().ifPresent(capability -> attributes.put("sallyport.capability", capability.toString()));
        summary.batch().ifPresent(batch -> attributes.put("sallyport.batch.id", batch.toString()));
        summary.rerunOf().ifPresent(original -> attributes.put("sallyport.rerun_of", original.toString()));
        Instant end = summary.finishedAt().orElse(summary.createdAt());
        Instant begun = summary.startedAt().orElse(end);
        attributes.put("sallyport.queue_millis", millisBetween(summary.createdAt(), begun));
        attributes.put("sallyport.run_millis", millisBetween(begun, end));
        return attributes;
    }

    private static long millisBetween(Instant from, Instant to) {
        return Math.max(0, Duration.between(from, to).toMillis());
    }
}
