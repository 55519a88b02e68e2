package org.sallyport.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.sallyport.cli.api.Connections;
import org.sallyport.cli.terminal.Look;
import org.sallyport.cli.terminal.Terminal;

/** The program. */
public final class Main {
    private static final int DEFAULT_COLUMNS = 100;

    private Main() {}

    /** Carries out one command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        Surroundings surroundings = Surroundings.ofProcess();
        if (Boolean.getBoolean("sallyport.training")) {
            end(Training.run(surroundings, terminal(surroundings)));
        }
        end(new Cli(surroundings, terminal(surroundings)).run(arguments));
    }

    private static void end(int code) {
        Connections.closeAll();
        System.exit(code);
    }

    private static Terminal terminal(Surroundings surroundings) {
        // The launcher knows which streams are terminals. Without it, expect a terminal where that is the careful
        // answer.
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
                new Look(Integer.getInteger("sallyport.terminal.columns", DEFAULT_COLUMNS), colour, unicode));
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), false, StandardCharsets.UTF_8);
    }
}
