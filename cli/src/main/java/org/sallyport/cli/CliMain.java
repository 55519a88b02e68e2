package org.sallyport.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.sallyport.cli.api.HttpClientFactory;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle;

/** Main class of the command line. */
public final class CliMain {
    private static final int DEFAULT_COLUMNS = 100;

    private CliMain() {}

    /** Runs one command and exits with its exit code. */
    public static void main(String[] arguments) {
        CliEnvironment surroundings = CliEnvironment.ofProcess();
        if (Boolean.getBoolean("sallyport.training")) {
            closeAndExit(CdsTrainingRun.run(surroundings, createTerminal(surroundings)));
        }
        closeAndExit(new CliRunner(surroundings, createTerminal(surroundings)).run(arguments));
    }

    private static void closeAndExit(int code) {
        HttpClientFactory.stopSelectorThreads();
        System.exit(code);
    }

    private static Terminal createTerminal(CliEnvironment surroundings) {
        // The launcher knows which streams are terminals. Without the launcher, assume the safe case for each stream:
        // standard output is a terminal (no raw text), standard error is not (no colors).
        boolean out = Boolean.parseBoolean(System.getProperty("sallyport.terminal.out", "true"));
        boolean err = Boolean.parseBoolean(System.getProperty("sallyport.terminal.err", "false"));
        boolean unicode =
                Charset.forName(System.getProperty("native.encoding", "UTF-8")).equals(StandardCharsets.UTF_8);
        boolean colour = err
                && surroundings.variable("NO_COLOR").isEmpty()
                && !"dumb".equals(surroundings.variable("TERM").orElse("dumb"));
        return new Terminal(
                stream(FileDescriptor.out),
                stream(FileDescriptor.err),
                out,
                err,
                new TerminalStyle(Integer.getInteger("sallyport.terminal.columns", DEFAULT_COLUMNS), colour, unicode));
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), false, StandardCharsets.UTF_8);
    }
}
