package org.sallyport.sandbox.guest;

import java.util.Locale;

/**
 * Decides which part of an output stream is kept. Of a stream that is longer than its limit these parts are kept,
 * together at most as long as the limit: the head, a line with the number of omitted characters, and the tail. The tail
 * begins with a line; if the last line is longer than the tail, behind a blank, comma or quote. No part begins or ends
 * inside a code point. A stream with a small limit has no tail.
 *
 * <p>All lengths are in UTF-16 code units. Not thread-safe.
 */
final class TruncatedOutput {
    /** A stream with a smaller limit has no tail. */
    static final int MIN_LIMIT_WITH_TAIL = 2_000;

    /** The part of the limit that is held back until the end, for the tail and the line before it. */
    private static final int HELD_BACK_SHARE = 10;

    private static final int MAX_NOTE_CHARS = 60;
    /** Characters behind which the tail may begin if no line begins in it. */
    private static final String VALUE_ENDS = " \t,\"'\n";

    private final int headLimit;
    private final int heldBackLimit;
    /** The last characters behind the head, and at times up to as many characters before them. */
    private final StringBuilder heldBack = new StringBuilder();

    private int headChars;
    private boolean headFull;
    private boolean headEndsLine = true;
    private long charsBehindHead;

    TruncatedOutput(int limit) {
        heldBackLimit = limit < MIN_LIMIT_WITH_TAIL ? 0 : limit / HELD_BACK_SHARE;
        headLimit = limit - heldBackLimit;
    }

    /** Returns whether a part of the output is omitted. */
    boolean isTruncated() {
        return charsBehindHead > heldBackLimit;
    }

    /** Returns whether a part of the output is held back until the end. */
    boolean isHeldBack() {
        return charsBehindHead > 0;
    }

    /** Adds printed text and returns the part of it that belongs to the head. */
    String add(String text) {
        if (headFull) {
            holdBack(text, 0);
            return "";
        }
        int left = headLimit - headChars;
        int end = text.length() <= left ? text.length() : codePointBoundary(text, left);
        headChars += end;
        if (end > 0) {
            headEndsLine = text.charAt(end - 1) == '\n';
        }
        if (end < text.length()) {
            headFull = true;
            holdBack(text, end);
        }
        return text.substring(0, end);
    }

    private void holdBack(String text, int from) {
        charsBehindHead += text.length() - from;
        heldBack.append(text, Math.max(from, text.length() - heldBackLimit), text.length());
        if (heldBack.length() > 2 * heldBackLimit) {
            heldBack.delete(0, heldBack.length() - heldBackLimit);
        }
    }

    /** Returns what follows the head: the end of the stream, behind a note if a part before it is omitted. */
    String finish() {
        if (!isTruncated()) {
            return heldBack.toString();
        }
        if (heldBackLimit == 0) {
            return "";
        }
        String tail = tail(heldBackLimit - MAX_NOTE_CHARS);
        return (headEndsLine ? "" : "\n")
                + String.format(Locale.ROOT, "[… %,d characters omitted …]\n", charsBehindHead - tail.length())
                + tail;
    }

    private String tail(int limit) {
        int start = heldBack.length() - limit;
        int line = heldBack.indexOf("\n", start) + 1;
        if (line > 0 && line < heldBack.length()) {
            return heldBack.substring(line);
        }
        // Without the beginning of the line: a word or a value that is cut there could be a part of a secret, which
        // would not be recognized and redacted.
        for (int at = start; at < heldBack.length(); at++) {
            if (VALUE_ENDS.indexOf(heldBack.charAt(at)) >= 0) {
                return heldBack.substring(at + 1);
            }
        }
        return "";
    }

    private static int codePointBoundary(String text, int units) {
        boolean splits = units > 0
                && Character.isHighSurrogate(text.charAt(units - 1))
                && Character.isLowSurrogate(text.charAt(units));
        return splits ? units - 1 : units;
    }
}
