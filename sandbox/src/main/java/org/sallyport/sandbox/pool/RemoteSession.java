package org.sallyport.sandbox.pool;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.BlockedAccess;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.ProtocolException;

/**
 * The server's side of a session in a worker. Validates every frame of the worker ({@link SessionFrameValidator}).
 * Messages to the script never wait for the worker: timers of the server send some of them.
 */
final class RemoteSession implements SandboxSession, WorkerTask {
    private final WorkerSandbox pool;
    private final SessionRequest request;
    private final SessionListener listener;
    private final SessionFrameValidator validator;
    private final AtomicBoolean ended = new AtomicBoolean();

    private volatile @Nullable Worker worker;
    private volatile long number;
    private volatile boolean cancelled;
    private volatile boolean postponed;
    /** Minimum wait before the session may be parked, in milliseconds; at least 1. */
    private volatile long parkThresholdMillis;

    private volatile long lastSentNanos;

    // Used only by the reader thread of the worker.
    private final ProgressRateLimiter progressLimiter = new ProgressRateLimiter(System.nanoTime());
    private Frame.@Nullable ProgressFrame pendingProgress;

    RemoteSession(WorkerSandbox pool, SessionRequest request, SessionListener listener) {
        this.pool = pool;
        this.request = request;
        this.parkThresholdMillis = Math.max(1, request.parkAfterMillis());
        this.listener = listener;
        this.validator = new SessionFrameValidator(request);
    }

    SessionRequest request() {
        return request;
    }

    @Override
    public String tenant() {
        return request.tenant();
    }

    @Override
    public boolean needsOwnWorker() {
        return request.needsOwnWorker();
    }

    @Override
    public boolean isDone() {
        return ended.get();
    }

    /** Returns whether the server has sent a frame since {@code nanos}; the script may be computing on it. */
    boolean hasSentSince(long nanos) {
        return lastSentNanos - nanos >= 0;
    }

    boolean isCancelled() {
        return cancelled;
    }

    @Override
    public void resolve(long call, String result) {
        validator.callAnswered(call);
        sendFrame(new Frame.ResolveFrame(number, call, result));
    }

    @Override
    public void reject(long call, GuestError error) {
        validator.callAnswered(call);
        sendFrame(new Frame.RejectFrame(number, call, error));
    }

    @Override
    public void postpone(long call) {
        postponed = true;
        sendFrame(new Frame.PostponeFrame(number, call));
    }

    @Override
    public void lowerParkThreshold(long millis) {
        parkThresholdMillis = Math.min(parkThresholdMillis, millis);
        sendFrame(new Frame.ParkThresholdFrame(number, millis));
    }

    @Override
    public void cancel() {
        if (ended.get() || cancelled) {
            return;
        }
        cancelled = true;
        pool.enforceCancel(this);
        sendFrame(new Frame.CancelFrame(number));
    }

    @Override
    public void runOn(Worker chosen, long given) {
        number = given;
        worker = chosen;
        lastSentNanos = System.nanoTime();
        chosen.execute(this, given);
        if (cancelled) {
            sendFrame(new Frame.CancelFrame(given));
        }
        // The worker missed every threshold that was set before it was assigned.
        long soon = parkThresholdMillis;
        if (soon < request.parkAfterMillis()) {
            sendFrame(new Frame.ParkThresholdFrame(given, soon));
        }
    }

    /** Returns the number of the session in its worker. */
    long number() {
        return number;
    }

    /** Returns the assigned worker, or null while the session waits for one. */
    @Nullable Worker worker() {
        return worker;
    }

    @Override
    public void onWorkerLost(SessionResult end) {
        finish(cancelled ? new SessionResult.SessionCancelled() : end);
    }

    void handleToolCall(Frame.ToolCallFrame call) throws ProtocolException {
        validator.checkToolCall(call);
        listener.onToolCall(
                call.call(),
                TextLimits.truncate(call.backend(), TextLimits.MAX_NAME_LENGTH),
                TextLimits.truncate(call.tool(), TextLimits.MAX_NAME_LENGTH),
                call.arguments());
    }

    /** After the grant, the worker makes the call or ends the session. */
    void handleReservation(Frame.ReserveFrame reservation) throws ProtocolException {
        validator.checkReservation(reservation);
        CompletionStage<?> reserved = reservation.isForResult()
                ? listener.reserveResult(reservation.chars())
                : listener.reserveArguments(reservation.call(), reservation.chars());
        var unused = reserved.thenRun(() -> {
            validator.reservationGranted(reservation);
            sendFrame(new Frame.GrantFrame(number, reservation.call()));
        });
    }

    void handleOutput(Frame.OutputFrame output) throws ProtocolException {
        validator.checkOutput(output);
        listener.onOutput(output.stream(), output.text());
    }

    void handleOutputTruncated(OutputStreamKind stream) throws ProtocolException {
        validator.checkOutputTruncated(stream);
        listener.onOutputTruncated(stream);
    }

    /** Drops progress that a worker reports too often. The last report is passed on, at the latest at the end. */
    void handleProgress(Frame.ProgressFrame progress) throws ProtocolException {
        validator.checkProgress(progress);
        pendingProgress = progress;
        if (progressLimiter.tryAcquire(System.nanoTime())) {
            notifyProgress();
        }
    }

    private void notifyProgress() {
        Frame.ProgressFrame latest = pendingProgress;
        if (latest != null) {
            pendingProgress = null;
            listener.onProgress(latest.permille() / 1_000.0, latest.text());
        }
    }

    void handleReplayLog(String log) throws ProtocolException {
        validator.checkReplayLog(log);
        listener.onReplayLog(log);
    }

    void handleBlockedAccess(List<BlockedAccess> counts) throws ProtocolException {
        validator.checkBlockedAccess(counts);
        listener.onBlockedAccess(counts);
    }

    void handleDebuggerReady(Frame.DebuggerReadyFrame inspectable) throws ProtocolException {
        validator.checkDebuggerUrl(inspectable.url());
        listener.onDebuggerReady(inspectable.url());
    }

    void handleProfile(Frame.ProfileFrame profiled) throws ProtocolException {
        validator.checkProfile(profiled.profile());
        listener.onProfile(profiled.profile());
    }

    void handleResult(SessionResult end) throws ProtocolException {
        if (end instanceof SessionResult.ScriptReturned returned) {
            validator.checkReturned(returned);
        }
        if (end instanceof SessionResult.SessionParked parked) {
            validator.checkParked(parked, parkThresholdMillis, postponed);
        }
        SessionFrameValidator.require(cancelled || !(end instanceof SessionResult.SessionCancelled));
        notifyProgress();
        finish(TextLimits.truncateTexts(end));
    }

    private void finish(SessionResult end) {
        if (ended.compareAndSet(false, true)) {
            listener.onEnded(end);
        }
    }

    private void sendFrame(Frame.WorkerBoundFrame frame) {
        Worker present = worker;
        if (present != null && !ended.get()) {
            lastSentNanos = System.nanoTime();
            present.send(frame);
        }
    }
}
