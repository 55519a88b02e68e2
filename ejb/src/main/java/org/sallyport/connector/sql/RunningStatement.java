package org.sallyport.connector.sql;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A call of a statement in progress: executed, then committed if it writes. It may be cancelled at any time before the
 * commit, also before it is executed. Thread-safe.
 */
final class RunningStatement {
    private final NamedParameterStatement statement;
    private final CompletableFuture<Boolean> withoutEffect = new CompletableFuture<>();
    private @Nullable Statement executing;
    private boolean cancelled;
    private boolean committing;

    RunningStatement(NamedParameterStatement statement) {
        this.statement = statement;
    }

    NamedParameterStatement statement() {
        return statement;
    }

    /** Called before the statement is executed. Returns false if it must not be, because the call was cancelled. */
    synchronized boolean beginExecution(Statement prepared) {
        if (!cancelled) {
            executing = prepared;
        }
        return !cancelled;
    }

    /** Called before the transaction is committed. Returns false if it must not be, because the call was cancelled. */
    synchronized boolean beginCommit() {
        committing = !cancelled;
        return committing;
    }

    /** The transaction was rolled back instead. */
    synchronized void commitFailed() {
        committing = false;
    }

    /** Cancels the call if its statement is not executed yet, and then never will be. Does not block. */
    synchronized boolean cancelUnlessExecuted() {
        cancelled |= executing == null;
        return executing == null;
    }

    /** Cancels the call, and its statement if that is being executed. May wait for the database. */
    void cancel() {
        Statement running;
        synchronized (this) {
            cancelled = true;
            running = executing;
        }
        if (running != null) {
            try {
                running.cancel();
            } catch (SQLException e) {
                System.getLogger(RunningStatement.class.getName())
                        .log(System.Logger.Level.DEBUG, "a statement could not be cancelled", e);
            }
        }
    }

    /** The call has ended, and its result is published. */
    void end() {
        withoutEffect.complete(!mayHaveEffect());
    }

    /** Completes at the end of the call with whether it certainly changed nothing. */
    CompletionStage<Boolean> withoutEffect() {
        return withoutEffect.copy();
    }

    synchronized boolean isCancelled() {
        return cancelled;
    }

    synchronized boolean isCommitting() {
        return committing;
    }

    /** Whether the call may have changed something by now, if its transaction is not committed after this. */
    synchronized boolean mayHaveEffect() {
        return committing || executing != null && !statement.isTransactional();
    }
}
