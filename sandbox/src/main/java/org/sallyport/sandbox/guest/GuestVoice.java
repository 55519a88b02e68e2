package org.sallyport.sandbox.guest;

import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionListener;

/** Speaks to a session's listener: in order, one call at a time, and nothing after the end. Thread-safe. */
final class GuestVoice {
    private static final long PROGRESS_NANOS = 100_000_000L;

    private final SessionListener listener;
    private final RunLog log;
    private final GuestOutput output;
    private boolean ended;
    private @Nullable Progress untold;
    private long toldNanos = System.nanoTime() - PROGRESS_NANOS;

    private record Progress(double fraction, String text) {}

    /** @param log what it notes is told before all that could depend on it */
    GuestVoice(SessionListener listener, int outputChars, RunLog log) {
        this.listener = listener;
        this.log = log;
        output = new GuestOutput(listener, outputChars, this::record);
    }

    RunLog log() {
        return log;
    }

    private void record() {
        String notes = log.take();
        if (!notes.isEmpty()) {
            listener.recorded(notes);
        }
    }

    synchronized void print(OutputStreamKind stream, String text) {
        if (!ended) {
            output.print(stream, text);
        }
    }

    synchronized void call(long ordinal, String backend, String tool, String arguments) {
        if (!ended) {
            output.flush();
            record();
            listener.called(ordinal, backend, tool, arguments);
        }
    }

    /** Tells how far the script is: at once, or when some time passed since the last word; the last is always told. */
    synchronized void progress(double fraction, String text) {
        if (!ended) {
            untold = new Progress(fraction, text);
            tellProgress(false);
        }
    }

    synchronized void flush() {
        if (!ended) {
            output.flush();
            tellProgress(false);
        }
    }

    synchronized void inspectable(String url) {
        if (!ended) {
            listener.inspectable(url);
        }
    }

    synchronized void profiled(String profile) {
        if (!ended) {
            listener.profiled(profile);
        }
    }

    synchronized void end(SessionEnd end) {
        if (!ended) {
            output.flush();
            tellProgress(true);
            record();
            ended = true;
            listener.ended(end);
        }
    }

    private void tellProgress(boolean last) {
        Progress latest = untold;
        if (latest != null && (last || System.nanoTime() - toldNanos >= PROGRESS_NANOS)) {
            untold = null;
            toldNanos = System.nanoTime();
            listener.progressed(latest.fraction(), latest.text());
        }
    }
}
