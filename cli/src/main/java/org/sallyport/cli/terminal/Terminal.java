package org.sallyport.cli.terminal;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * Where the commands write. Results and what a script printed go to standard output, everything that is only about them
 * (notes, progress, errors) to standard error. Text of others is made visible unless {@code raw}. Not thread-safe, except
 * that whole lines do not tear.
 */
public final class Terminal {
    private final PrintStream out;
    private final PrintStream err;
    private final boolean outIsTerminal;
    private final boolean errIsTerminal;
    private final TerminalStyle style;
    private boolean raw;
    private boolean lineOpen;
    private boolean progressShown;

    /**
     * @param look how to draw on standard error; standard output never gets colours
     */
    public Terminal(
            PrintStream out, PrintStream err, boolean outIsTerminal, boolean errIsTerminal, TerminalStyle look) {
        this.out = out;
        this.err = err;
        this.outIsTerminal = outIsTerminal;
        this.errIsTerminal = errIsTerminal;
        this.style = look;
    }

    /** From now on what scripts wrote passes as it is. Refused where a terminal would obey it. */
    public boolean allowRaw() {
        raw = !outIsTerminal;
        return raw;
    }

    public TerminalStyle style() {
        return style;
    }

    /** A piece of a script's standard output. */
    public synchronized void printScriptOutput(String text) {
        if (!text.isEmpty()) {
            clearProgress();
            out.print(raw ? text : TerminalTextEscaper.escapeText(text));
            out.flush();
            lineOpen = outIsTerminal ? !text.endsWith("\n") : lineOpen;
        }
    }

    /** A piece of a script's standard error output. */
    public synchronized void printScriptErrorOutput(String text) {
        if (!text.isEmpty()) {
            clearProgress();
            err.print(raw && !errIsTerminal ? text : TerminalTextEscaper.escapeText(text));
            err.flush();
            lineOpen = !text.endsWith("\n");
        }
    }

    /** A line of the answer itself: what a caller would pipe on. May hold line breaks. */
    public synchronized void printResult(String text) {
        closeLine();
        out.println(raw ? text : TerminalTextEscaper.escapeText(text));
        out.flush();
    }

    /** A line about the answer. Its text is ours: parts that are not must have been made visible. */
    public synchronized void printNote(String line) {
        closeLine();
        err.println(line);
        err.flush();
    }

    /** A line that the next output replaces; where that cannot be done it is left out. */
    public synchronized void showProgress(String line) {
        if (errIsTerminal) {
            closeLine();
            err.print("\r" + line + "\u001b[K");
            err.flush();
            progressShown = true;
        }
    }

    /** Standard output for texts of ours that come as a whole, such as help. */
    public PrintWriter writer() {
        return new PrintWriter(out, true, StandardCharsets.UTF_8);
    }

    /** Whether {@link #showProgress} can be seen. */
    public boolean showsProgress() {
        return errIsTerminal;
    }

    private void closeLine() {
        clearProgress();
        if (lineOpen) {
            err.println();
            lineOpen = false;
        }
    }

    private void clearProgress() {
        if (progressShown) {
            err.print("\r\u001b[K");
            err.flush();
            progressShown = false;
        }
    }
}
