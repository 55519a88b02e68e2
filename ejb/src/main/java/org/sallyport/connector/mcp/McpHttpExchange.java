package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One message that is posted to a server, until it is answered. A stream that ends before the answer is continued if
 * the server gave its events ids. A request that names a session that the server does not know is posted once more in a
 * new session: it had no effect. Thread-safe.
 */
final class McpHttpExchange {
    /** Number of times in a row that a stream is continued without an event. */
    static final int MAX_FRUITLESS_RESUMES = 5;

    private static final long MIN_RESUME_MILLIS = 50;
    private static final long MAX_RESUME_MILLIS = 60_000;
    /** How long a stream is read behind the answer, so that its connection can be used again. */
    private static final long LINGER_MILLIS = 2_000;

    private final McpHttpClient client;
    private final ScheduledExecutorService scheduler;
    private final McpHttpFailureReader failures;
    private final ExchangeListener listener;
    private final @Nullable Object requestId;
    private final byte[] message;
    private final McpEventListener events;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicBoolean answered = new AtomicBoolean();
    private volatile McpHttpSession session = McpHttpSession.NONE;
    /** The response to the last post. */
    private volatile @Nullable McpHttpResponse postResponse;

    private boolean withdrawn;
    private boolean renewed;
    private int fruitlessResumes;
    private @Nullable CompletableFuture<?> openRequest;
    private @Nullable ScheduledFuture<?> resumption;

    /** Receives what the server sends, and renews sessions. */
    interface ExchangeListener {
        /** The server sent a message other than the answer. */
        void onMessage(JSONRPCMessage message);

        /**
         * The server answered the request.
         *
         * @param sessionId the session that the server offers with its answer
         */
        void onAnswer(JSONRPCResponse answer, Optional<String> sessionId);

        /** Returns the session that follows one that the server does not know. */
        CompletableFuture<McpHttpSession> renewSession(McpHttpSession unknown);
    }

    /** Throws {@link IllegalArgumentException} if the message cannot be written as JSON. */
    McpHttpExchange(
            McpHttpClient client,
            ScheduledExecutorService scheduler,
            JSONRPCMessage message,
            ExchangeListener listener) {
        this.client = client;
        this.scheduler = scheduler;
        this.failures = new McpHttpFailureReader(client);
        this.listener = listener;
        this.requestId = message instanceof JSONRPCRequest request ? request.id() : null;
        this.events = new McpEventListener(client.maxMessageBytes(), this::onMessage);
        try {
            this.message = McpJson.SDK_MAPPER.writeValueAsString(message).getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot be written as JSON", e);
        }
    }

    /**
     * Posts the message.
     *
     * @param limit maximum time until the answer
     * @return completes when a request is answered or another message is accepted, and also without either after
     *     {@link #abort} or the time limit; otherwise fails with {@link McpFailure.McpFailureException}
     */
    CompletableFuture<Void> start(McpHttpSession first, Duration limit) {
        ended.completeOnTimeout(null, limit.toMillis(), TimeUnit.MILLISECONDS);
        ended.whenComplete((done, failure) -> {
            if (!answered.get()) {
                cancelOpenRequest();
            }
        });
        post(first);
        return ended;
    }

    private void post(McpHttpSession to) {
        session = to;
        McpHttpResponse response = new McpHttpResponse(client.maxMessageBytes(), requestId != null, events);
        postResponse = response;
        send(() -> client.post(to, message, response), (done, failure) -> onPosted(response, failure));
    }

    /** Sends a request unless the message was withdrawn. */
    private void send(
            Supplier<CompletableFuture<HttpResponse<Void>>> request,
            BiConsumer<@Nullable HttpResponse<Void>, @Nullable Throwable> onEnd) {
        CompletableFuture<HttpResponse<Void>> sent;
        synchronized (this) {
            if (withdrawn || ended.isDone()) {
                ended.complete(null);
                return;
            }
            sent = request.get();
            openRequest = sent;
        }
        sent.whenComplete(onEnd);
    }

    private void onPosted(McpHttpResponse response, @Nullable Throwable failure) {
        if (ended.isDone()) {
            return;
        }
        if (response.status() > 0 && !response.isSuccess()) {
            onRefused(response);
        } else if (response.isSuccess() && requestId == null) {
            ended.complete(null);
        } else if (response.isEventStream()) {
            onStreamEnded(failure);
        } else if (failure != null || requestId == null) {
            ended.completeExceptionally(
                    failures.readException(failure == null ? new IOException("no response was received") : failure));
        } else {
            readAnswer(requestId, response);
        }
    }

    private void onRefused(McpHttpResponse response) {
        McpHttpSession unknown = session;
        boolean first;
        synchronized (this) {
            first = !renewed;
            renewed = true;
        }
        if (!first
                || requestId == null
                || unknown.id().isEmpty()
                || !McpHttpFailureReader.isSessionUnknown(requestId, response)) {
            ended.completeExceptionally(new McpFailure.McpFailureException(failures.readRefusal(response)));
            return;
        }
        listener.renewSession(unknown).whenComplete((next, failure) -> {
            if (failure == null) {
                post(next);
            } else {
                ended.completeExceptionally(notSent(failure));
            }
        });
    }

    /** The failure of a request whose session could not be renewed; refused credentials are the reason as they are. */
    private static McpFailure.McpFailureException notSent(Throwable failure) {
        McpFailure reason = McpFailure.of(failure);
        return new McpFailure.McpFailureException(
                reason instanceof McpFailure.RequestRefused refused && refused.showsLiveServer()
                        ? refused
                        : new McpFailure.RequestNotSent(
                                "its session ended, and no new one could be started: " + reason.reason()),
                failure);
    }

    private void readAnswer(Object id, McpHttpResponse response) {
        try {
            new McpHttpAnswerReader(failures, client.maxMessageBytes())
                    .read(id, response)
                    .forEach(this::onMessage);
        } catch (McpFailure.McpFailureException e) {
            ended.completeExceptionally(e);
            return;
        }
        if (!answered.get()) {
            fail(client.shownUrl() + " answered with JSON that is no response to the request");
        }
    }

    private void onMessage(JSONRPCMessage received) {
        if (requestId == null || !(received instanceof JSONRPCResponse response) || !requestId.equals(response.id())) {
            listener.onMessage(received);
        } else if (answered.compareAndSet(false, true)) {
            endStreamLater();
            McpHttpResponse posted = postResponse;
            listener.onAnswer(response, posted == null ? Optional.empty() : posted.header(McpHttpSession.ID_HEADER));
            ended.complete(null);
        }
    }

    /** Servers end a stream after its answer; one that does not is cancelled. */
    private void endStreamLater() {
        CompletableFuture<?> open = lastRequest();
        if (!open.isDone()) {
            ScheduledFuture<?> end = scheduler.schedule(() -> open.cancel(true), LINGER_MILLIS, TimeUnit.MILLISECONDS);
            open.whenComplete((done, failure) -> end.cancel(false));
        }
    }

    private void onStreamEnded(@Nullable Throwable failure) {
        if (ended.isDone()) {
            return;
        }
        String how = failure == null
                ? "the stream of its answer ended before the answer"
                : "the stream of its answer was cut: " + FailureMessages.of(failure);
        boolean invalid = failure != null
                && (failure instanceof McpEventListener.TooManyInvalidEventsException
                        || failure.getCause() instanceof McpEventListener.TooManyInvalidEventsException);
        if (invalid || events.lastEventId().isEmpty()) {
            fail(how);
        } else {
            resumeLater(how);
        }
    }

    private void resumeLater(String how) {
        boolean advanced = events.clearAdvanced();
        synchronized (this) {
            fruitlessResumes = advanced ? 0 : fruitlessResumes + 1;
            if (fruitlessResumes <= MAX_FRUITLESS_RESUMES) {
                long retry = Math.max(MIN_RESUME_MILLIS, events.retryMillis()) << fruitlessResumes;
                resumption =
                        scheduler.schedule(this::resume, Math.min(MAX_RESUME_MILLIS, retry), TimeUnit.MILLISECONDS);
                return;
            }
        }
        fail(how + "; it could not be continued");
    }

    private void resume() {
        McpHttpResponse response = new McpHttpResponse(client.maxMessageBytes(), true, events);
        send(
                () -> client.openStream(session, events.lastEventId(), response),
                (done, failure) -> onResumed(response, failure));
    }

    private void onResumed(McpHttpResponse response, @Nullable Throwable failure) {
        if (ended.isDone()) {
            return;
        }
        if (response.isEventStream()) {
            onStreamEnded(failure);
        } else if (response.status() == 0 && failure != null) {
            resumeLater(McpFailure.of(failures.readException(failure)).reason());
        } else {
            // The server has the call: the status says nothing of it.
            String how = "the stream of its answer ended, and cannot be continued: "
                    + (response.isSuccess()
                            ? failures.describeNoAnswer(response)
                            : failures.readRefusal(response).reason());
            if (response.status() == 429 || response.status() >= 500) {
                resumeLater(how);
            } else {
                fail(how);
            }
        }
    }

    private void fail(String reason) {
        ended.completeExceptionally(new McpFailure.McpFailureException(new McpFailure.RequestUnanswered(reason)));
    }

    /** Prevents further requests; the open one goes on. */
    synchronized void withdraw() {
        withdrawn = true;
    }

    /** Ends the exchange without an answer, and its stream if it goes on behind the answer. */
    void abort() {
        withdraw();
        ended.complete(null);
        cancelOpenRequest();
    }

    /** Completes when the last request of an exchange that has ended is over. */
    synchronized CompletableFuture<?> lastRequest() {
        return openRequest == null ? CompletableFuture.completedFuture(null) : openRequest;
    }

    private synchronized void cancelOpenRequest() {
        if (resumption != null) {
            resumption.cancel(false);
        }
        if (openRequest != null) {
            openRequest.cancel(true);
        }
    }
}
