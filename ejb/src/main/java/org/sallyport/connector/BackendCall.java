package org.sallyport.connector;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.PlainText;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * A call of a {@link ManagedBackend} in progress. It is open until it is answered or cancelled. If its time passes, it
 * is withdrawn until it is known whether it can have an effect. Only an open call is sent. Thread-safe.
 */
final class BackendCall {
    private static final int MAX_SHOWN_NAME_LENGTH = 200;

    private enum BackendCallState {
        OPEN,
        WITHDRAWN,
        COMPLETED
    }

    private final ToolCall call;
    private final CompletableFuture<ToolResult> result = new CompletableFuture<>();
    private final AtomicReference<BackendCallState> state = new AtomicReference<>(BackendCallState.OPEN);
    private final AtomicInteger sendCount = new AtomicInteger();
    /** Includes attempts for which the backend was away. */
    private final AtomicInteger attempts = new AtomicInteger(1);

    private volatile String sentName = "";
    private volatile boolean acknowledged;
    private volatile boolean repeatable;
    private volatile boolean withoutEffect;
    private volatile @Nullable CompletionStage<ToolResult> answer;

    BackendCall(ToolCall call) {
        this.call = call;
    }

    ToolCall call() {
        return call;
    }

    CompletableFuture<ToolResult> result() {
        return result;
    }

    boolean isOpen() {
        return state.get() == BackendCallState.OPEN;
    }

    /**
     * Claims the right to complete and count the open call; true for the first caller only. Called before the result is
     * published.
     */
    synchronized boolean tryComplete() {
        return state.compareAndSet(BackendCallState.OPEN, BackendCallState.COMPLETED);
    }

    /** Ends the sending of the open call; true for the first caller only. From now on {@link #sendCount} is final. */
    synchronized boolean tryWithdraw() {
        return state.compareAndSet(BackendCallState.OPEN, BackendCallState.WITHDRAWN);
    }

    /** Like {@link #tryComplete}, for a withdrawn call. */
    boolean tryCompleteWithdrawn() {
        return state.compareAndSet(BackendCallState.WITHDRAWN, BackendCallState.COMPLETED);
    }

    /**
     * Counts an attempt to send the call, before it is sent.
     *
     * @param name name of the tool on the backend's server
     * @param mayRepeat whether the call is sent as one that may be sent twice
     * @return the number of attempts to send it; 0 if the call is not open any more, and must not be sent
     */
    synchronized int beginSend(String name, boolean mayRepeat) {
        if (!isOpen()) {
            return 0;
        }
        sentName = name;
        repeatable = mayRepeat;
        acknowledged = false;
        return sendCount.incrementAndGet();
    }

    /** How many times the call was sent. */
    int sendCount() {
        return sendCount.get();
    }

    /** Whether the call was sent as one that may be sent twice. */
    boolean isRepeatable() {
        return repeatable;
    }

    /** Number of attempts, including those for which the backend was away. */
    int attempts() {
        return attempts.get();
    }

    void countAttempt() {
        attempts.incrementAndGet();
    }

    /** The remote side has the current attempt. */
    void acknowledge() {
        acknowledged = true;
    }

    /** Whether the remote side is known to have received the current attempt. */
    boolean isAcknowledged() {
        return acknowledged;
    }

    /** Sets what the connection answers to the last attempt. */
    void setAnswer(CompletionStage<ToolResult> coming) {
        answer = coming;
    }

    /** Returns what the connection has answered to the last attempt, if that says how the call ended. */
    Optional<ToolResult> conclusiveAnswer() {
        CompletionStage<ToolResult> coming = answer;
        if (coming == null) {
            return Optional.empty();
        }
        CompletableFuture<ToolResult> future = coming.toCompletableFuture();
        return future.isDone() && !future.isCompletedExceptionally()
                ? Optional.ofNullable(future.getNow(null))
                        .filter(BackendCall::isConclusive)
                        .map(this::withPlainToolName)
                : Optional.empty();
    }

    /** Connectors name a tool as its server does: such a name may have any length and any characters. */
    ToolResult withPlainToolName(ToolResult received) {
        if (!(received instanceof ToolResult.ToolFailure failure)) {
            return received;
        }
        ToolError error = failure.error();
        String original = sentName;
        String plain = PlainText.singleLine(original, MAX_SHOWN_NAME_LENGTH);
        return plain.equals(original) || !error.message().contains(original)
                ? received
                : new ToolResult.ToolFailure(
                        new ToolError(error.code(), error.message().replace(original, plain), error.details()));
    }

    /** Whether an answer to a withdrawn call says how it ended; the failures are those that the withdrawal causes. */
    static boolean isConclusive(ToolResult result) {
        return !(result instanceof ToolResult.ToolFailure failure)
                || switch (failure.error().code()) {
                    case BACKEND_UNAVAILABLE, OUTCOME_UNKNOWN, TIMEOUT, CANCELLED -> false;
                    default -> true;
                };
    }

    /** The withdrawn call certainly has no effect, and counts as not sent. Called before its result is published. */
    void markWithoutEffect() {
        withoutEffect = true;
    }

    /** The result with the number of attempts that may have had an effect. */
    Connector.ConnectorCallResult withAttempts(ToolResult published) {
        return new Connector.ConnectorCallResult(published, withoutEffect ? 0 : sendCount.get());
    }

    /** Returns a failure of this call. */
    ToolResult failure(ToolErrorCode code, String what) {
        return ToolResult.failure(code, "'" + call.tool() + "' " + what);
    }
}
