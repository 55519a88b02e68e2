package org.sallyport.secret;

import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Takes secrets out of texts that others see: as they are, in Base64 at any alignment, in hexadecimal digits, URL-encoded, and
 * escaped for JSON or HTML. Reads a text once, however many secrets there are. Thread-safe.
 */
public final class Redaction {
    /** Shorter secrets would be found where they are not, and are never looked for. */
    public static final int SHORTEST = Needles.WINDOW;

    /** Nothing is secret. */
    public static final Redaction NOTHING = new Redaction(java.util.List.of());

    private static final char CUT = '…';
    private static final int UNCUT = -1;
    static final String SHOWN = "[redacted]";

    private final boolean empty;
    private final Needles needles;

    public Redaction(Collection<String> secrets) {
        var forms =
                secrets.stream().flatMap(secret -> Forms.of(secret).stream()).collect(Collectors.toSet());
        this.empty = forms.isEmpty();
        this.needles = new Needles(forms);
    }

    /** Whether there is nothing to be taken out of anything. */
    public boolean isEmpty() {
        return empty;
    }

    /** {@code text} without secrets, and without beginnings of such before a '…'; the same instance when it has none. */
    public String of(String text) {
        if (empty) {
            return text;
        }
        Needles.Found found = needles.next(text, 0, CUT, false);
        if (found == null) {
            return text;
        }
        StringBuilder clean = new StringBuilder(text.length());
        int done = 0;
        while (found != null) {
            clean.append(text, done, Math.max(done, found.start())).append(SHOWN);
            done = found.end();
            found = needles.next(text, done, CUT, false);
        }
        return clean.append(text, done, text.length()).toString();
    }

    /** A failure with its causes and places, without secrets: what a log may hold of it. */
    public String of(Throwable failure) {
        java.io.StringWriter trace = new java.io.StringWriter();
        failure.printStackTrace(new java.io.PrintWriter(trace, true));
        return of(trace.toString());
    }

    /** A stream of text that is given in pieces. Each secret is replaced by as many characters as it has. */
    public Stream stream() {
        return new Stream();
    }

    /** Pieces without secrets, those that begin in one piece and end in another included. Not thread-safe. */
    public final class Stream {
        private String held = "";

        private Stream() {}

        /** This stream, which goes on where {@code before} ended: with what that one held back. */
        public Stream after(Stream before) {
            held = before.rest();
            return this;
        }

        /** What can be shown once {@code piece} has come: all but what may be the beginning of a secret. */
        public String next(String piece) {
            if (empty) {
                return piece;
            }
            String text = held.isEmpty() ? piece : held + piece;
            StringBuilder clean = new StringBuilder(text.length());
            int done = 0;
            int end = text.length();
            Needles.Found found = needles.next(text, 0, UNCUT, true);
            while (found != null && found.whole()) {
                int start = Math.max(done, found.start());
                mask(clean.append(text, done, start), found.end() - start);
                done = found.end();
                found = needles.next(text, done, UNCUT, true);
            }
            end = found == null ? needles.beginning(text, done) : found.start();
            held = text.substring(end);
            return clean.append(text, done, end).toString();
        }

        /** What was held back, now that nothing more comes. */
        public String rest() {
            String rest = held;
            held = "";
            return rest;
        }

        private static void mask(StringBuilder clean, int length) {
            if (length >= SHOWN.length()) {
                clean.append(SHOWN).append("*".repeat(length - SHOWN.length()));
            } else {
                clean.append("*".repeat(length));
            }
        }
    }
}
