package org.sallyport.callback;

import java.time.Instant;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;

/**
 * Snapshot of a callback. It has the id of its execution.
 *
 * @param execution the execution
 * @param tenant the owning tenant
 * @param url the URL that receives it
 * @param state its state
 * @param attempts how often it was sent since it last became due
 * @param nextAttemptAt when it is sent next, if it is due
 * @param lastStatus the HTTP status of the latest response
 * @param lastFailure the latest failure without a usable HTTP status
 * @param finishedAt when it was delivered or given up
 */
public record Callback(
        ExecutionId execution,
        String tenant,
        String url,
        CallbackState state,
        int attempts,
        Optional<Instant> nextAttemptAt,
        Optional<Integer> lastStatus,
        Optional<String> lastFailure,
        Optional<Instant> finishedAt) {}
