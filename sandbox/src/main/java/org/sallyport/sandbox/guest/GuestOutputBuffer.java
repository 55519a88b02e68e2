package org.sallyport.sandbox.guest;

import java.util.EnumMap;
import java.util.Map;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionListener;

/**
 * Collects the output of a script into few chunks, in order over both streams, and truncates each stream at its limit:
 * {@link TruncatedOutput} says what is kept. Guarded by the lock of its owner.
 */
final class GuestOutputBuffer {
    private static final int FLUSH_CHARS = 8 * 1024;

    private final SessionListener listener;
    private final Runnable beforeFlush;
    private final Map<OutputStreamKind, TruncatedOutput> streams = new EnumMap<>(OutputStreamKind.class);
    private final int limit;
    private final StringBuilder buffer = new StringBuilder();
    private OutputStreamKind currentStream = OutputStreamKind.OUT;

    /**
     * @param limit characters of each stream that are reported
     * @param beforeIt run before a chunk is reported
     */
    GuestOutputBuffer(SessionListener listener, int limit, Runnable beforeIt) {
        this.listener = listener;
        this.limit = limit;
        this.beforeFlush = beforeIt;
    }

    void print(OutputStreamKind to, String text) {
        TruncatedOutput stream = streams.computeIfAbsent(to, kind -> new TruncatedOutput(limit));
        boolean wasTruncated = stream.isTruncated();
        String head = stream.add(text);
        if (!head.isEmpty()) {
            append(to, head);
        }
        if (stream.isTruncated() && !wasTruncated) {
            flush();
            listener.onOutputTruncated(to);
        }
    }

    private void append(OutputStreamKind to, String text) {
        if (to != currentStream) {
            flush();
            currentStream = to;
        }
        buffer.append(text);
        if (buffer.length() >= FLUSH_CHARS) {
            flush();
        }
    }

    void flush() {
        if (!buffer.isEmpty()) {
            String text = buffer.toString();
            buffer.setLength(0);
            beforeFlush.run();
            listener.onOutput(currentStream, text);
        }
    }

    /**
     * Reports what is not held back, when the session ends and another one will continue the script. Streams whose end
     * is held back count as truncated, because the script may be cancelled before another session writes that end.
     */
    void flushBeforeParking() {
        flush();
        streams.forEach((kind, stream) -> {
            if (stream.isHeldBack() && !stream.isTruncated()) {
                listener.onOutputTruncated(kind);
            }
        });
    }

    /** Reports the output that is held back until the end of the session. Nothing is printed afterwards. */
    void finish() {
        streams.forEach((kind, stream) -> {
            String tail = stream.finish();
            if (!tail.isEmpty()) {
                append(kind, tail);
            }
        });
        flush();
    }
}
