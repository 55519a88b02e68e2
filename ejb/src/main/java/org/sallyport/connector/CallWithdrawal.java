package org.sallyport.connector;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.sallyport.tool.CallId;

/** Withdraws calls that a connection was sent and did not answer in time. Thread-safe. */
final class CallWithdrawal {
    private final BackendConnection connection;
    private final ScheduledExecutorService scheduler;

    CallWithdrawal(BackendConnection connection, ScheduledExecutorService scheduler) {
        this.connection = connection;
        this.scheduler = scheduler;
    }

    /**
     * Withdraws a sent call.
     *
     * @return completes with whether the call certainly has no effect; with false if the connection fails, or does not
     *     report within {@link BackendConnection#WITHDRAWAL_TIMEOUT}. May complete on the thread of the timer.
     */
    CompletionStage<Boolean> withdraw(CallId call) {
        CompletableFuture<Boolean> report = new CompletableFuture<>();
        Runnable giveUp = () -> report.complete(false);
        try {
            ScheduledFuture<?> limit =
                    scheduler.schedule(giveUp, BackendConnection.WITHDRAWAL_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            report.whenComplete((withoutEffect, failure) -> limit.cancel(false));
            connection
                    .withdraw(call)
                    .whenComplete((withoutEffect, failure) ->
                            report.complete(failure == null && Boolean.TRUE.equals(withoutEffect)));
        } catch (RuntimeException | Error e) {
            report.complete(false);
            System.getLogger(CallWithdrawal.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "call {0} could not be withdrawn and counts as one with an unknown outcome: {1}",
                            call,
                            connection.redactor().redact(String.valueOf(e.getMessage())));
        }
        return report;
    }
}
