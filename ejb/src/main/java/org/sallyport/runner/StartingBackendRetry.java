package org.sallyport.runner;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Retries calls of a resumed script while their backend is starting. Backends restart together with the node that
 * resumes the script, and an undisturbed script would have had its reply. A script on its first run receives the error
 * at once and may react to it. Thread-safe.
 */
final class StartingBackendRetry {
    private static final Duration MIN_RETRY_DELAY = Duration.ofMillis(100);
    private static final Duration MAX_RETRY_DELAY = Duration.ofSeconds(1);

    private final EngineServices context;
    private final Executor tasks;
    private final LongPredicate canSend;
    private final boolean isResumed;

    /**
     * @param tasks runs work that may wait for the broker
     * @param mayLeave returns whether the call with this ordinal has no reply yet and the run may still send calls
     * @param goesOn whether an earlier run of the script had begun
     */
    StartingBackendRetry(EngineServices context, Executor tasks, LongPredicate mayLeave, boolean goesOn) {
        this.context = context;
        this.tasks = tasks;
        this.canSend = mayLeave;
        this.isResumed = goesOn;
    }

    /**
     * Returns {@code reply}, or, if the backend is starting, the first later reply from a backend that is not starting
     * any more, even if that backend is down. Returns the last reply when the deadline is near.
     *
     * @param call ordinal of the call
     * @param deadline instant after which the reply is no longer awaited
     * @param resend sends the call
     */
    CompletionStage<ToolReply> retryWhileStarting(
            ToolReply reply, long call, Instant deadline, Supplier<CompletionStage<ToolReply>> resend) {
        return retryWhileStarting(reply, call, deadline, resend, MIN_RETRY_DELAY);
    }

    private CompletionStage<ToolReply> retryWhileStarting(
            ToolReply reply, long call, Instant deadline, Supplier<CompletionStage<ToolReply>> resend, Duration pause) {
        if (!isResumed
                || !isStarting(reply)
                || !context.clock().instant().plus(pause).isBefore(deadline)) {
            return CompletableFuture.completedStage(reply);
        }
        Executor later = work ->
                context.scheduler().schedule(() -> tasks.execute(work), pause.toMillis(), TimeUnit.MILLISECONDS);
        Duration twice = pause.multipliedBy(2);
        Duration next = twice.compareTo(MAX_RETRY_DELAY) < 0 ? twice : MAX_RETRY_DELAY;
        return CompletableFuture.supplyAsync(() -> canSend.test(call), later)
                .thenCompose(open -> open
                        ? resend.get().thenCompose(answer -> retryWhileStarting(answer, call, deadline, resend, next))
                        : CompletableFuture.completedStage(reply));
    }

    private static boolean isStarting(ToolReply reply) {
        return reply.attempts() == 0
                && reply.result() instanceof ToolResult.ToolFailure failure
                && failure.error().code() == ToolErrorCode.BACKEND_STARTING;
    }
}
