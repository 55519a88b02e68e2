package org.sallyport.connector.mcp;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.ToolDefinition;

/**
 * Asks one server for its tools whenever it says that they are others. Several changes in a short time are one question, one is
 * asked at a time, and one that was not answered is asked again after a longer pause each time. Thread-safe.
 */
final class Relisting {
    private static final long CHANGES_TOGETHER_MILLIS = 300;

    private final Backoff backoff;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final Ear ear;
    private @Nullable Supplier<CompletionStage<List<ToolDefinition>>> question;
    /** Whether they changed since they were asked for last. */
    private boolean changed;
    /** Whether a question is under way, or will be. */
    private boolean asking;

    private boolean over;

    /** Hears what became of the questions. */
    interface Ear {
        /** The tools as they are now. */
        void tools(List<ToolDefinition> tools);

        /** The server did not say them; it is asked again. */
        void unlisted(Throwable why);
    }

    /** @param executor runs what waits for the database */
    Relisting(Backoff backoff, ScheduledExecutorService scheduler, Executor executor, Ear ear) {
        this.backoff = backoff;
        this.scheduler = scheduler;
        this.executor = executor;
        this.ear = ear;
    }

    /** The tools may be others; before {@link #begin} that is remembered. */
    synchronized void changed() {
        changed = true;
        soon(CHANGES_TOGETHER_MILLIS);
    }

    /** The tools that the server said at its start are known: what changed meanwhile is asked for now. */
    synchronized void begin(Supplier<CompletionStage<List<ToolDefinition>>> asked) {
        question = asked;
        soon(CHANGES_TOGETHER_MILLIS);
    }

    /** The server is not asked any more. */
    synchronized void end() {
        over = true;
    }

    private synchronized void soon(long millis) {
        if (changed && question != null && !asking && !over) {
            asking = true;
            scheduler.schedule(this::ask, millis, TimeUnit.MILLISECONDS);
        }
    }

    private void ask() {
        Supplier<CompletionStage<List<ToolDefinition>>> asked;
        synchronized (this) {
            asked = question;
            if (asked == null || over) {
                return;
            }
            changed = false;
        }
        CompletableFuture.supplyAsync(asked, executor)
                .thenCompose(said -> said)
                .thenAcceptAsync(this::listed, executor)
                .whenComplete((done, failure) -> answered(failure));
    }

    private void listed(List<ToolDefinition> tools) {
        synchronized (this) {
            if (over) {
                return;
            }
        }
        ear.tools(tools);
    }

    private void answered(@Nullable Throwable failure) {
        long pause;
        synchronized (this) {
            asking = false;
            if (over) {
                return;
            }
            if (failure == null) {
                backoff.reset();
                pause = CHANGES_TOGETHER_MILLIS;
            } else {
                changed = true;
                pause = backoff.next();
            }
        }
        if (failure != null) {
            ear.unlisted(failure);
        }
        soon(pause);
    }
}
