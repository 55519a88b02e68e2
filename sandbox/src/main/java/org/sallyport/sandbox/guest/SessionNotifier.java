package org.sallyport.sandbox.guest;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.BlockedAccess;
import org.sallyport.sandbox.BlockedAccess.BlockedAccessKind;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionResult;

/** Calls the listener of a session in order, one call at a time, and never after the end. Thread-safe. */
final class SessionNotifier {
    private static final long PROGRESS_INTERVAL_NANOS = 100_000_000L;

    private final SessionEventQueue listener;
    private final ReplayLog log;
    private final GuestOutputBuffer output;
    private final BlockedAccessCounter blockedAccess = new BlockedAccessCounter();
    private boolean ended;
    private @Nullable ProgressUpdate pendingProgress;
    private long lastProgressNanos = System.nanoTime() - PROGRESS_INTERVAL_NANOS;

    private record ProgressUpdate(double fraction, String text) {}

    /**
     * @param log its new entries are reported before any event that could depend on them
     * @param gate holds back turns while results wait
     * @param endCallback called before the listener receives the end
     */
    SessionNotifier(SessionListener listener, int outputChars, ReplayLog log, TurnGate gate, Runnable endCallback) {
        this.listener = new SessionEventQueue(listener, gate, endCallback);
        this.log = log;
        output = new GuestOutputBuffer(this.listener, outputChars, this::notifyReplayLog);
    }

    ReplayLog log() {
        return log;
    }

    private void notifyReplayLog() {
        String notes = log.drain();
        if (!notes.isEmpty()) {
            listener.onReplayLog(notes);
        }
    }

    synchronized void notifyOutput(OutputStreamKind stream, String text) {
        if (!ended) {
            output.print(stream, text);
        }
    }

    synchronized void notifyToolCall(long ordinal, String backend, String tool, String arguments) {
        if (!ended) {
            output.flush();
            notifyReplayLog();
            listener.onToolCall(ordinal, backend, tool, arguments);
        }
    }

    /**
     * Ends the session at once if its script has ended, or ends later, while its last calls wait for memory. Returns
     * whether it has ended now.
     */
    boolean stop(SessionResult why) {
        return listener.stop(why);
    }

    /** Records that a call is answered. */
    void callAnswered(long call) {
        listener.callAnswered(call);
    }

    /** Reports progress at most every 100 ms; the last report is always delivered. */
    synchronized void notifyProgress(double fraction, String text) {
        if (!ended) {
            pendingProgress = new ProgressUpdate(fraction, text);
            sendProgress(false);
        }
    }

    /** Counts the use of a name that scripts do not have. It is reported when the session ends. */
    synchronized void recordBlockedAccess(BlockedAccessKind kind, String name) {
        blockedAccess.record(kind, name);
    }

    synchronized void flush() {
        if (!ended) {
            output.flush();
            if (log.isReportDue()) {
                notifyReplayLog();
            }
            sendProgress(false);
        }
    }

    synchronized void notifyDebuggerReady(String url) {
        if (!ended) {
            listener.onDebuggerReady(url);
        }
    }

    synchronized void notifyProfile(String profile) {
        if (!ended) {
            listener.onProfile(profile);
        }
    }

    synchronized void notifyEnded(SessionResult end) {
        if (!ended) {
            if (end instanceof SessionResult.SessionParked) {
                output.flushBeforeParking();
            } else {
                output.finish();
            }
            sendProgress(true);
            notifyReplayLog();
            List<BlockedAccess> blocked = blockedAccess.counts();
            if (!blocked.isEmpty()) {
                listener.onBlockedAccess(blocked);
            }
            ended = true;
            listener.onEnded(end);
        }
    }

    private void sendProgress(boolean last) {
        ProgressUpdate latest = pendingProgress;
        if (latest != null && (last || System.nanoTime() - lastProgressNanos >= PROGRESS_INTERVAL_NANOS)) {
            pendingProgress = null;
            lastProgressNanos = System.nanoTime();
            listener.onProgress(latest.fraction(), latest.text());
        }
    }
}
