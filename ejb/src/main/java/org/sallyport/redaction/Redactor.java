package org.sallyport.redaction;

import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Redacts secrets in texts: plain, in Base64 at any alignment, in hexadecimal digits, URL-encoded, and escaped for JSON
 * or HTML. Reads a text once, regardless of the number of secrets. Optionally redacts personal data. Thread-safe.
 */
public final class Redactor {
    /** Minimum length of a redacted secret. Shorter secrets would match unrelated text and are never searched for. */
    public static final int MIN_SECRET_LENGTH = MultiPatternMatcher.WINDOW_LENGTH;

    /** Redacts nothing. */
    public static final Redactor NONE = new Redactor(java.util.List.of());

    private static final char ELLIPSIS = '…';
    private static final int NO_ELLIPSIS = -1;
    static final String PLACEHOLDER = "[redacted]";

    /**
     * Maximum number of characters of a line that a stream holds back, because personal data may begin in them and end
     * in the next piece.
     */
    private static final int MAX_HELD_LENGTH = 4_096;

    private final boolean noSecrets;
    private final MultiPatternMatcher matcher;
    private final PersonalDataDetector personalData;

    public Redactor(Collection<String> secrets) {
        var forms = secrets.stream()
                .flatMap(secret -> SecretEncodings.of(secret).stream())
                .collect(Collectors.toSet());
        this.noSecrets = forms.isEmpty();
        this.matcher = new MultiPatternMatcher(forms);
        this.personalData = PersonalDataDetector.NONE;
    }

    private Redactor(Redactor secrets, PersonalDataDetector personal) {
        this.noSecrets = secrets.noSecrets;
        this.matcher = secrets.matcher;
        this.personalData = personal;
    }

    /** Returns a redactor that also redacts personal data. */
    public Redactor withPersonalData(PersonalDataDetector data) {
        return new Redactor(this, data);
    }

    /** Returns whether this redactor has nothing to redact. */
    public boolean isEmpty() {
        return noSecrets && personalData.isEmpty();
    }

    /**
     * Returns {@code text} without secrets, including beginnings of secrets before a '…'. Returns the same instance
     * when it contains none.
     */
    public String redact(String text) {
        return redactPersonalData(redactSecrets(text));
    }

    private String redactPersonalData(String text) {
        if (personalData.isEmpty()) {
            return text;
        }
        PersonalDataDetector.PersonalDataSearch search = personalData.search(text);
        PersonalDataDetector.PersonalDataMatch found = search.next();
        if (found == null) {
            return text;
        }
        StringBuilder clean = new StringBuilder(text.length());
        int done = 0;
        while (found != null) {
            clean.append(text, done, found.start()).append(found.placeholder());
            done = found.end();
            found = search.next();
        }
        return clean.append(text, done, text.length()).toString();
    }

    private String redactSecrets(String text) {
        if (noSecrets) {
            return text;
        }
        MultiPatternMatcher.PatternMatch found = matcher.findNext(text, 0, ELLIPSIS, false);
        if (found == null) {
            return text;
        }
        StringBuilder clean = new StringBuilder(text.length());
        int done = 0;
        while (found != null) {
            clean.append(text, done, Math.max(done, found.start())).append(PLACEHOLDER);
            done = found.end();
            found = matcher.findNext(text, done, ELLIPSIS, false);
        }
        return clean.append(text, done, text.length()).toString();
    }

    /** Returns a failure with its causes and stack trace, without secrets, as text for a log. */
    public String redact(Throwable failure) {
        java.io.StringWriter trace = new java.io.StringWriter();
        failure.printStackTrace(new java.io.PrintWriter(trace, true));
        return redact(trace.toString());
    }

    /** Returns a redactor for text that arrives in pieces. It replaces each secret by a text of the same length. */
    public RedactingStream stream() {
        return new RedactingStream();
    }

    /** Redacts a text in pieces, including secrets that begin in one piece and end in another. Not thread-safe. */
    public final class RedactingStream {
        private String heldBack = "";
        /** Start of an unfinished line: secrets are redacted, personal data may still be in it. */
        private String openLine = "";

        private RedactingStream() {}

        /** Continues {@code before} in this stream, including the text that it held back. */
        public RedactingStream continueFrom(RedactingStream before) {
            openLine = before.openLine;
            heldBack = before.heldBack;
            before.openLine = "";
            before.heldBack = "";
            return this;
        }

        /**
         * Returns the text that can be shown after {@code piece}: everything except a possible beginning of hidden
         * text.
         */
        public String redactNext(String piece) {
            String clean = redactPiece(piece);
            if (personalData.isEmpty() && openLine.isEmpty()) {
                return clean;
            }
            String text = openLine + clean;
            int shown = Math.max(text.lastIndexOf('\n') + 1, text.length() - MAX_HELD_LENGTH);
            if (personalData.isEmpty()) {
                shown = text.length();
            }
            StringBuilder out = new StringBuilder(text.length());
            int done = appendMasked(text, shown, out);
            openLine = text.substring(done);
            return out.toString();
        }

        /**
         * Appends the masked {@code text} up to {@code until}, or up to the end of a match that spans it. Returns the
         * end index.
         */
        private int appendMasked(String text, int until, StringBuilder out) {
            PersonalDataDetector.PersonalDataSearch search = personalData.search(text);
            int done = 0;
            for (PersonalDataDetector.PersonalDataMatch found = search.next();
                    found != null && found.start() < until;
                    found = search.next()) {
                out.append(text, done, found.start());
                mask(out, found.placeholder(), found.end() - found.start());
                done = found.end();
            }
            if (done < until) {
                out.append(text, done, until);
                done = until;
            }
            return done;
        }

        private String redactPiece(String piece) {
            if (noSecrets && heldBack.isEmpty()) {
                return piece;
            }
            String text = heldBack.isEmpty() ? piece : heldBack + piece;
            StringBuilder clean = new StringBuilder(text.length());
            int done = 0;
            int end = text.length();
            MultiPatternMatcher.PatternMatch found = matcher.findNext(text, 0, NO_ELLIPSIS, true);
            while (found != null && found.complete()) {
                int start = Math.max(done, found.start());
                mask(clean.append(text, done, start), PLACEHOLDER, found.end() - start);
                done = found.end();
                found = matcher.findNext(text, done, NO_ELLIPSIS, true);
            }
            end = found == null ? matcher.partialMatchStart(text, done) : found.start();
            heldBack = text.substring(end);
            return clean.append(text, done, end).toString();
        }

        /** Returns the text that was held back, at the end of the stream. */
        public String finish() {
            String rest = openLine + heldBack;
            openLine = "";
            heldBack = "";
            StringBuilder out = new StringBuilder(rest.length());
            appendMasked(rest, rest.length(), out);
            return out.toString();
        }

        private static void mask(StringBuilder clean, String shown, int length) {
            if (length >= shown.length()) {
                clean.append(shown).append("*".repeat(length - shown.length()));
            } else {
                clean.append("*".repeat(length));
            }
        }
    }
}
