package org.sallyport.cli;

import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTextEscaper;

/** While it is open, Ctrl-C prints that the batch goes on without the command, and how to follow and cancel it. */
final class BatchInterruptNote implements AutoCloseable {
    private final Terminal terminal;
    private final String id;
    private final Thread hook = new Thread(this::print, "batch note");
    private volatile boolean cancelled;

    BatchInterruptNote(Terminal terminal, String id) {
        this.terminal = terminal;
        this.id = id;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The batch has ended: nothing will be printed. */
    void cancel() {
        cancelled = true;
    }

    private void print() {
        if (!cancelled) {
            String batch = TerminalTextEscaper.escapeLine(id);
            terminal.printNote("Batch " + batch + " continues.");
            terminal.printNote("  wait for it  sallyport batch --follow " + batch);
            terminal.printNote("  cancel it    sallyport batches cancel " + batch);
        }
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process already ends, so the hook runs.
        }
    }
}
