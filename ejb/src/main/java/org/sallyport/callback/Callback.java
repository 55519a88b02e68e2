package org.sallyport.callback;

import java.time.Instant;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;

/**
 * A callback as it was when it was read. It has the id of its execution.
 *
 * @param execution the execution
 * @param tenant whose it is
 * @param url where it goes
 * @param state how far it is
 * @param attempts how often it was sent since it last became due
 * @param nextAttemptAt when it is sent (again), if it is
 * @param lastStatus the HTTP status that came back last
 * @param lastFailure what went wrong last, if there was no status that counts
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
