package org.sallyport.sandbox.worker;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.BlockedAccess;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.protocol.Frame;

/** Sends the events of a session as frames. */
final class FrameSessionListener implements SessionListener {
    private final long session;
    private final Consumer<Frame> frameSink;
    private final Runnable endCallback;
    private volatile boolean ended;
    private volatile @Nullable CompletableFuture<Void> pendingReservation;

    /**
     * @param forget run when the session is over
     */
    FrameSessionListener(long session, Consumer<Frame> wire, Runnable forget) {
        this.session = session;
        this.frameSink = wire;
        this.endCallback = forget;
    }

    boolean isEnded() {
        return ended;
    }

    @Override
    public void onToolCall(long call, String backend, String tool, String arguments) {
        frameSink.accept(new Frame.ToolCallFrame(session, call, backend, tool, arguments));
    }

    @Override
    public CompletionStage<?> reserveArguments(long call, int chars) {
        return reserve(call, chars);
    }

    @Override
    public CompletionStage<?> reserveResult(int chars) {
        return reserve(Frame.ReserveFrame.RESULT, chars);
    }

    private CompletionStage<?> reserve(long call, int chars) {
        CompletableFuture<Void> reservation = new CompletableFuture<>();
        pendingReservation = reservation;
        frameSink.accept(new Frame.ReserveFrame(session, call, chars));
        return reservation;
    }

    /** Handles the grant of the pending reservation: sends the call, or the result, and all that waited behind it. */
    void onReservationGranted() {
        CompletableFuture<Void> reservation = pendingReservation;
        if (reservation != null) {
            reservation.complete(null);
        }
    }

    @Override
    public void onOutput(OutputStreamKind stream, String text) {
        frameSink.accept(new Frame.OutputFrame(session, stream, text));
    }

    @Override
    public void onOutputTruncated(OutputStreamKind stream) {
        frameSink.accept(new Frame.OutputTruncatedFrame(session, stream));
    }

    @Override
    public void onProgress(double fraction, String text) {
        frameSink.accept(new Frame.ProgressFrame(session, (int) Math.round(fraction * 1_000), text));
    }

    @Override
    public void onReplayLog(String log) {
        frameSink.accept(new Frame.ReplayLogFrame(session, log));
    }

    @Override
    public void onBlockedAccess(List<BlockedAccess> counts) {
        frameSink.accept(new Frame.BlockedAccessFrame(session, counts));
    }

    @Override
    public void onDebuggerReady(String url) {
        frameSink.accept(new Frame.DebuggerReadyFrame(session, url));
    }

    @Override
    public void onProfile(String profile) {
        frameSink.accept(new Frame.ProfileFrame(session, profile));
    }

    @Override
    public void onEnded(SessionResult end) {
        ended = true;
        endCallback.run();
        frameSink.accept(new Frame.SessionResultFrame(session, end));
    }
}
