package org.sallyport.connector.mcp;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Continues the stream of one exchange that ends before the answer, if the server gave its events ids. Gives up if the
 * server refuses to continue it, or if it does not advance several times in a row. Thread-safe.
 */
final class McpHttpStreamResumer {
    /** Number of times in a row that a stream is continued without a new event id. */
    static final int MAX_FRUITLESS_RESUMES = 5;

    private static final long MIN_RESUME_MILLIS = 50;
    private static final long MAX_RESUME_MILLIS = 60_000;

    private final McpHttpClient client;
    private final ScheduledExecutorService scheduler;
    private final McpHttpFailureReader failures;
    private final McpEventListener events;
    private final ResumedExchange exchange;
    private int fruitlessResumes;
    private @Nullable ScheduledFuture<?> resumption;

    /** The exchange whose stream is continued. */
    interface ResumedExchange {
        /**
         * Sends a request unless the exchange has ended.
         *
         * @param onEnd receives the failure, or null, when the request is over and the exchange has not ended
         */
        void send(Supplier<CompletableFuture<HttpResponse<Void>>> request, Consumer<@Nullable Throwable> onEnd);

        /** The stream cannot be continued. */
        void fail(String reason);
    }

    /** @param events reads the events of the stream */
    McpHttpStreamResumer(
            McpHttpClient client,
            ScheduledExecutorService scheduler,
            McpHttpFailureReader failures,
            McpEventListener events,
            ResumedExchange exchange) {
        this.client = client;
        this.scheduler = scheduler;
        this.failures = failures;
        this.events = events;
        this.exchange = exchange;
    }

    /**
     * Continues a stream that ended before the answer.
     *
     * @param failure why it was cut; null if the server ended it
     */
    void onStreamEnded(McpHttpSession session, @Nullable Throwable failure) {
        String how = failure == null
                ? "the stream of its answer ended before the answer"
                : "the stream of its answer was cut: " + FailureMessages.of(failure);
        boolean invalid = failure != null
                && (failure instanceof McpEventListener.TooManyInvalidEventsException
                        || failure.getCause() instanceof McpEventListener.TooManyInvalidEventsException);
        if (invalid || events.lastEventId().isEmpty()) {
            exchange.fail(how);
        } else {
            resumeLater(session, how);
        }
    }

    private void resumeLater(McpHttpSession session, String how) {
        boolean advanced = events.clearAdvanced();
        synchronized (this) {
            fruitlessResumes = advanced ? 0 : fruitlessResumes + 1;
            if (fruitlessResumes <= MAX_FRUITLESS_RESUMES) {
                long retry = Math.max(MIN_RESUME_MILLIS, events.retryMillis()) << fruitlessResumes;
                resumption = scheduler.schedule(
                        () -> resume(session), Math.min(MAX_RESUME_MILLIS, retry), TimeUnit.MILLISECONDS);
                return;
            }
        }
        exchange.fail(how + "; it could not be continued");
    }

    private void resume(McpHttpSession session) {
        McpHttpResponse response = new McpHttpResponse(client.maxMessageBytes(), true, events);
        exchange.send(
                () -> client.openStream(session, events.lastEventId(), response),
                failure -> onResumed(session, response, failure));
    }

    private void onResumed(McpHttpSession session, McpHttpResponse response, @Nullable Throwable failure) {
        if (response.isEventStream()) {
            onStreamEnded(session, failure);
        } else if (response.status() == 0 && failure != null) {
            resumeLater(session, McpFailure.of(failures.readException(failure)).reason());
        } else {
            // The server has the call: the status says nothing of it.
            String how = "the stream of its answer ended, and cannot be continued: "
                    + (response.isSuccess()
                            ? failures.describeNoAnswer(response)
                            : failures.readRefusal(response).reason());
            if (response.status() == 429 || response.status() >= 500) {
                resumeLater(session, how);
            } else {
                exchange.fail(how);
            }
        }
    }

    /** Prevents the request that is scheduled. */
    synchronized void cancel() {
        if (resumption != null) {
            resumption.cancel(false);
        }
    }
}
