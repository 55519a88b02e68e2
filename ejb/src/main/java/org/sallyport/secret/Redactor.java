package org.sallyport.secret;

import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Takes secrets out of texts that others see: as they are, in Base64 at any alignment, in hexadecimal digits, URL-encoded, and
 * escaped for JSON or HTML. Reads a text once, however many secrets there are. Takes out personal data too, where that is wanted.
 * Thread-safe.
 */
public final class Redactor {
    /** Shorter secrets would be found where they are not, and are never looked for. */
    public static final int MIN_SECRET_LENGTH = MultiPatternMatcher.WINDOW_LENGTH;

    /** Nothing is secret. */
    public static final Redactor NONE = new Redactor(java.util.List.of());

    private static final char ELLIPSIS = '…';
    private static final int NO_ELLIPSIS = -1;
    static final String PLACEHOLDER = "[redacted]";

    /** So much of a line is held back at most, since personal data may begin in it and end in what follows. */
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

    /** One that takes out personal data besides. */
    public Redactor withPersonalData(PersonalDataDetector data) {
        return new Redactor(this, data);
    }

    /** Whether there is nothing to be taken out of anything. */
    public boolean isEmpty() {
        return noSecrets && personalData.isEmpty();
    }

    /** {@code text} without secrets, and without beginnings of such before a '…'; the same instance when it has none. */
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

    /** A failure with its causes and places, without secrets: what a log may hold of it. */
    public String redact(Throwable failure) {
        java.io.StringWriter trace = new java.io.StringWriter();
        failure.printStackTrace(new java.io.PrintWriter(trace, true));
        return redact(trace.toString());
    }

    /** A stream of text that is given in pieces. Each secret is replaced by as many characters as it has. */
    public RedactingStream stream() {
        return new RedactingStream();
    }

    /** Pieces without secrets, those that begin in one piece and end in another included. Not thread-safe. */
    public final class RedactingStream {
        private String heldBack = "";
        /** Of a line that is not over: without secrets, and perhaps with personal data. */
        private String openLine = "";

        private RedactingStream() {}

        /** This stream, which goes on where {@code before} ended: with what that one held back. */
        public RedactingStream continueFrom(RedactingStream before) {
            openLine = before.openLine;
            heldBack = before.heldBack;
            before.openLine = "";
            before.heldBack = "";
            return this;
        }

        /** What can be shown once {@code piece} has come: all but what may be the beginning of something hidden. */
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

        /** Appends what is shown of {@code text} up to {@code until}, or to the end of what stands across it; where that is. */
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

        /** What was held back, now that nothing more comes. */
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
