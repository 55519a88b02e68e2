package org.sallyport.sandbox.guest;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionListener;

/**
 * Gathers what a script prints into few pieces, in order over both streams, and stops each stream at its limit. Guarded
 * by its owner's lock.
 */
final class GuestOutput {
    private static final int PIECE = 8 * 1024;

    private final SessionListener listener;
    private final int limit;
    private final Runnable beforeIt;
    private final Map<OutputStreamKind, Integer> used = new EnumMap<>(OutputStreamKind.class);
    private final Set<OutputStreamKind> full = EnumSet.noneOf(OutputStreamKind.class);
    private final StringBuilder piece = new StringBuilder();
    private OutputStreamKind stream = OutputStreamKind.OUT;

    /** @param beforeIt run before a piece is told */
    GuestOutput(SessionListener listener, int limit, Runnable beforeIt) {
        this.listener = listener;
        this.limit = limit;
        this.beforeIt = beforeIt;
    }

    void print(OutputStreamKind to, String text) {
        if (full.contains(to)) {
            return;
        }
        if (to != stream) {
            flush();
            stream = to;
        }
        int left = limit - used.getOrDefault(to, 0);
        String kept = text.length() <= left ? text : text.substring(0, wholePoints(text, left));
        used.merge(to, kept.length(), Integer::sum);
        piece.append(kept);
        if (kept.length() < text.length()) {
            flush();
            full.add(to);
            listener.truncated(to);
        } else if (piece.length() >= PIECE) {
            flush();
        }
    }

    void flush() {
        if (!piece.isEmpty()) {
            String text = piece.toString();
            piece.setLength(0);
            beforeIt.run();
            listener.printed(stream, text);
        }
    }

    private static int wholePoints(String text, int units) {
        boolean splits = units > 0
                && Character.isHighSurrogate(text.charAt(units - 1))
                && Character.isLowSurrogate(text.charAt(units));
        return splits ? units - 1 : units;
    }
}
