package org.sallyport.sandbox.guest;

import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionListener;

/** Speaks to a session's listener: in order, one call at a time, and nothing after the end. Thread-safe. */
final class GuestVoice {
    private final SessionListener listener;
    private final GuestOutput output;
    private boolean ended;

    GuestVoice(SessionListener listener, int outputChars) {
        this.listener = listener;
        output = new GuestOutput(listener, outputChars);
    }

    synchronized void print(OutputStreamKind stream, String text) {
        if (!ended) {
            output.print(stream, text);
        }
    }

    synchronized void call(long ordinal, String backend, String tool, String arguments) {
        if (!ended) {
            output.flush();
            listener.called(ordinal, backend, tool, arguments);
        }
    }

    synchronized void flush() {
        if (!ended) {
            output.flush();
        }
    }

    synchronized void end(SessionEnd end) {
        if (!ended) {
            output.flush();
            ended = true;
            listener.ended(end);
        }
    }
}
