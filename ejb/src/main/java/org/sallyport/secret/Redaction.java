package org.sallyport.secret;

import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Takes secrets out of texts that others see: as they are, in Base64 at any alignment, in hexadecimal digits, URL-encoded, and
 * escaped for JSON or HTML. Reads a text once, however many secrets there are. Takes out personal data too, where that is wanted.
 * Thread-safe.
 */
public final class Redaction {
    /** Shorter secrets would be found where they are not, and are never looked for. */
    public static final int SHORTEST = Needles.WINDOW;

    /** Nothing is secret. */
    public static final Redaction NOTHING = new Redaction(java.util.List.of());

    private static final char CUT = '…';
    private static final int UNCUT = -1;
    static final String SHOWN = "[redacted]";

    /** So much of a line is held back at most, since personal data may begin in it and end in what follows. */
    private static final int LONGEST_HELD = 4_096;

    private final boolean noSecrets;
    private final Needles needles;
    private final PersonalData personal;

    public Redaction(Collection<String> secrets) {
        var forms =
                secrets.stream().flatMap(secret -> Forms.of(secret).stream()).collect(Collectors.toSet());
        this.noSecrets = forms.isEmpty();
        this.needles = new Needles(forms);
        this.personal = PersonalData.NOTHING;
    }

    private Redaction(Redaction secrets, PersonalData personal) {
        this.noSecrets = secrets.noSecrets;
        this.needles = secrets.needles;
        this.personal = personal;
    }

    /** One that takes out personal data besides. */
    public Redaction and(PersonalData data) {
        return new Redaction(this, data);
    }

    /** Whether there is nothing to be taken out of anything. */
    public boolean isEmpty() {
        return noSecrets && personal.isEmpty();
    }

    /** {@code text} without secrets, and without beginnings of such before a '…'; the same instance when it has none. */
    public String of(String text) {
        return withoutPersonal(withoutSecrets(text));
    }

    private String withoutPersonal(String text) {
        if (personal.isEmpty()) {
            return text;
        }
        PersonalData.Search search = personal.search(text);
        PersonalData.Found found = search.next();
        if (found == null) {
            return text;
        }
        StringBuilder clean = new StringBuilder(text.length());
        int done = 0;
        while (found != null) {
            clean.append(text, done, found.start()).append(found.shown());
            done = found.end();
            found = search.next();
        }
        return clean.append(text, done, text.length()).toString();
    }

    private String withoutSecrets(String text) {
        if (noSecrets) {
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
        /** Of a line that is not over: without secrets, and perhaps with personal data. */
        private String line = "";

        private Stream() {}

        /** This stream, which goes on where {@code before} ended: with what that one held back. */
        public Stream after(Stream before) {
            line = before.line;
            held = before.held;
            before.line = "";
            before.held = "";
            return this;
        }

        /** What can be shown once {@code piece} has come: all but what may be the beginning of something hidden. */
        public String next(String piece) {
            String clean = secretless(piece);
            if (personal.isEmpty() && line.isEmpty()) {
                return clean;
            }
            String text = line + clean;
            int shown = Math.max(text.lastIndexOf('\n') + 1, text.length() - LONGEST_HELD);
            if (personal.isEmpty()) {
                shown = text.length();
            }
            StringBuilder out = new StringBuilder(text.length());
            int done = masked(text, shown, out);
            line = text.substring(done);
            return out.toString();
        }

        /** Appends what is shown of {@code text} up to {@code until}, or to the end of what stands across it; where that is. */
        private int masked(String text, int until, StringBuilder out) {
            PersonalData.Search search = personal.search(text);
            int done = 0;
            for (PersonalData.Found found = search.next();
                    found != null && found.start() < until;
                    found = search.next()) {
                out.append(text, done, found.start());
                mask(out, found.shown(), found.end() - found.start());
                done = found.end();
            }
            if (done < until) {
                out.append(text, done, until);
                done = until;
            }
            return done;
        }

        private String secretless(String piece) {
            if (noSecrets && held.isEmpty()) {
                return piece;
            }
            String text = held.isEmpty() ? piece : held + piece;
            StringBuilder clean = new StringBuilder(text.length());
            int done = 0;
            int end = text.length();
            Needles.Found found = needles.next(text, 0, UNCUT, true);
            while (found != null && found.whole()) {
                int start = Math.max(done, found.start());
                mask(clean.append(text, done, start), SHOWN, found.end() - start);
                done = found.end();
                found = needles.next(text, done, UNCUT, true);
            }
            end = found == null ? needles.beginning(text, done) : found.start();
            held = text.substring(end);
            return clean.append(text, done, end).toString();
        }

        /** What was held back, now that nothing more comes. */
        public String rest() {
            String rest = line + held;
            line = "";
            held = "";
            StringBuilder out = new StringBuilder(rest.length());
            masked(rest, rest.length(), out);
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
