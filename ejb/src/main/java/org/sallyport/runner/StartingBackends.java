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
 * Has the calls of a script that goes on wait for backends that are starting: they start anew together with the node on which it goes on,
 * and a script that nothing disturbed would have had its answer. A script that has only begun is told at once, and may do something else.
 */
final class StartingBackends {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final RunContext context;
    private final Executor tasks;
    private final LongPredicate mayLeave;
    private final boolean goesOn;

    /**
     * @param tasks runs what may wait for the broker
     * @param mayLeave whether the call of that ordinal waits for its answer, and calls may leave
     * @param goesOn whether an earlier run of the script was begun
     */
    StartingBackends(RunContext context, Executor tasks, LongPredicate mayLeave, boolean goesOn) {
        this.context = context;
        this.tasks = tasks;
        this.mayLeave = mayLeave;
        this.goesOn = goesOn;
    }

    /**
     * {@code reply}, or the first that {@code again} has of a backend that is not starting any more, be it that it is down.
     *
     * @param call ordinal of the call
     * @param deadline when nobody waits for an answer any more
     * @param again sends the call
     */
    CompletionStage<ToolReply> await(
            ToolReply reply, long call, Instant deadline, Supplier<CompletionStage<ToolReply>> again) {
        return await(reply, call, deadline, again, FIRST_PAUSE);
    }

    private CompletionStage<ToolReply> await(
            ToolReply reply, long call, Instant deadline, Supplier<CompletionStage<ToolReply>> again, Duration pause) {
        if (!goesOn
                || !isStarting(reply)
                || !context.clock().instant().plus(pause).isBefore(deadline)) {
            return CompletableFuture.completedStage(reply);
        }
        Executor later = work ->
                context.scheduler().schedule(() -> tasks.execute(work), pause.toMillis(), TimeUnit.MILLISECONDS);
        Duration twice = pause.multipliedBy(2);
        Duration next = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
        return CompletableFuture.supplyAsync(() -> mayLeave.test(call), later)
                .thenCompose(open -> open
                        ? again.get().thenCompose(answer -> await(answer, call, deadline, again, next))
                        : CompletableFuture.completedStage(reply));
    }

    private static boolean isStarting(ToolReply reply) {
        return reply.attempts() == 0
                && reply.result() instanceof ToolResult.Failure failure
                && failure.error().code() == ToolErrorCode.BACKEND_STARTING;
    }
}
