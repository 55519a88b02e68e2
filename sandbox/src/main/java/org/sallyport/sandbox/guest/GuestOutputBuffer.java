package org.sallyport.sandbox.guest;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionListener;

/**
 * Collects the output of a script into few chunks, in order over both streams, and truncates each stream at its limit.
 * Guarded by the lock of its owner.
 */
final class GuestOutputBuffer {
    private static final int FLUSH_CHARS = 8 * 1024;

    private final SessionListener listener;
    private final int limit;
    private final Runnable beforeFlush;
    private final Map<OutputStreamKind, Integer> charsByStream = new EnumMap<>(OutputStreamKind.class);
    private final Set<OutputStreamKind> fullStreams = EnumSet.noneOf(OutputStreamKind.class);
    private final StringBuilder buffer = new StringBuilder();
    private OutputStreamKind currentStream = OutputStreamKind.OUT;

    /**
     * @param beforeIt run before a chunk is reported
     */
    GuestOutputBuffer(SessionListener listener, int limit, Runnable beforeIt) {
        this.listener = listener;
        this.limit = limit;
        this.beforeFlush = beforeIt;
    }

    void print(OutputStreamKind to, String text) {
        if (fullStreams.contains(to)) {
            return;
        }
        if (to != currentStream) {
            flush();
            currentStream = to;
        }
        int left = limit - charsByStream.getOrDefault(to, 0);
        String kept = text.length() <= left ? text : text.substring(0, codePointBoundary(text, left));
        charsByStream.merge(to, kept.length(), Integer::sum);
        buffer.append(kept);
        if (kept.length() < text.length()) {
            flush();
            fullStreams.add(to);
            listener.onOutputTruncated(to);
        } else if (buffer.length() >= FLUSH_CHARS) {
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

    private static int codePointBoundary(String text, int units) {
        boolean splits = units > 0
                && Character.isHighSurrogate(text.charAt(units - 1))
                && Character.isLowSurrogate(text.charAt(units));
        return splits ? units - 1 : units;
    }
}
