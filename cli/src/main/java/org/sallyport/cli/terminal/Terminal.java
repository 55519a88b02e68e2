package org.sallyport.cli.terminal;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * Writes the output of the commands. Results and script output go to standard output; notes, progress and errors go to
 * standard error. Escapes untrusted text unless {@code raw} is set. Not thread-safe, except that lines of several
 * threads do not mix.
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
     * @param style style of standard error; standard output never gets colors
     */
    public Terminal(
            PrintStream out, PrintStream err, boolean outIsTerminal, boolean errIsTerminal, TerminalStyle style) {
        this.out = out;
        this.err = err;
        this.outIsTerminal = outIsTerminal;
        this.errIsTerminal = errIsTerminal;
        this.style = style;
    }

    /**
     * Stops escaping script output. Returns false, and keeps escaping, if standard output is a terminal, which would
     * obey control characters.
     */
    public boolean allowRaw() {
        raw = !outIsTerminal;
        return raw;
    }

    public TerminalStyle style() {
        return style;
    }

    /** Prints a chunk of a script's standard output. */
    public synchronized void printScriptOutput(String text) {
        if (!text.isEmpty()) {
            clearProgress();
            out.print(raw ? text : TerminalTextEscaper.escapeText(text));
            out.flush();
            lineOpen = outIsTerminal ? !text.endsWith("\n") : lineOpen;
        }
    }

    /** Prints a chunk of a script's standard error output. */
    public synchronized void printScriptErrorOutput(String text) {
        if (!text.isEmpty()) {
            clearProgress();
            err.print(raw && !errIsTerminal ? text : TerminalTextEscaper.escapeText(text));
            err.flush();
            lineOpen = !text.endsWith("\n");
        }
    }

    /** Prints a line of the result to standard output, which users may pipe. The text may contain line breaks. */
    public synchronized void printResult(String text) {
        closeLine();
        out.println(raw ? text : TerminalTextEscaper.escapeText(text));
        out.flush();
    }

    /**
     * Prints a table as a result. Its lines are cut at the width of the terminal; if standard output is not a terminal,
     * they are complete.
     */
    public void printTable(TerminalTable table) {
        table.lines(outIsTerminal ? style.columns() : Integer.MAX_VALUE).forEach(this::printResult);
    }

    /** Prints a line about the result to standard error. The caller must have escaped untrusted parts. */
    public synchronized void printNote(String line) {
        closeLine();
        err.println(line);
        err.flush();
    }

    /** Shows a line that the next output replaces. Does nothing if standard error is not a terminal. */
    public synchronized void showProgress(String line) {
        if (errIsTerminal) {
            closeLine();
            err.print("\r" + line + "\u001b[K");
            err.flush();
            progressShown = true;
        }
    }

    /** Returns standard output for complete, trusted texts such as help. */
    public PrintWriter writer() {
        return new PrintWriter(out, true, StandardCharsets.UTF_8);
    }

    /** Returns whether {@link #showProgress} shows anything. */
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
