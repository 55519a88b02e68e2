package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.TreeSet;
import org.sallyport.execution.Execution;
import org.sallyport.execution.RetryPolicy;
import org.sallyport.execution.RetryPolicy.RetryStatus;

/** Maps the retry policy of an execution, and how the execution relates to the other attempts, to JSON. */
final class RetryMapper {
    private RetryMapper() {}

    /** Returns an empty value if the execution has no retry policy. */
    static Optional<ObjectNode> retry(Execution execution) {
        return execution.admission().retry().flatMap(policy -> execution.retry().map(status -> retry(policy, status)));
    }

    private static ObjectNode retry(RetryPolicy policy, RetryStatus status) {
        ObjectNode json = ExecutionMapper.object()
                .put("attempts", policy.attempts())
                .put("delayMillis", policy.initialDelay().toMillis())
                .put("maxDelayMillis", policy.maxDelay().toMillis());
        new TreeSet<>(policy.errorCodes()).forEach(json.putArray("errorCodes")::add);
        json.put("afterWrites", policy.afterWrites()).put("attempt", status.attempt());
        addLinks(json, status);
        return json;
    }

    /** Adds the executions of other attempts, and why there is no next one. */
    private static void addLinks(ObjectNode json, RetryStatus status) {
        status.first().ifPresent(id -> json.put("first", id.toString()));
        status.previous().ifPresent(id -> json.put("previous", id.toString()));
        status.next().ifPresent(id -> json.put("next", id.toString()));
        status.stop().ifPresent(stop -> json.put("notRetried", stop.text()));
    }

    /** Adds {@code retry} to a wait reason: which attempt this is, of how many, and its links to other attempts. */
    static void addAttempt(ObjectNode reason, Execution execution) {
        execution
                .admission()
                .retry()
                .ifPresent(policy -> execution.retry().ifPresent(status -> {
                    ObjectNode json = reason.putObject("retry")
                            .put("attempt", status.attempt())
                            .put("attempts", policy.attempts());
                    addLinks(json, status);
                }));
    }
}
