package org.sallyport.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle;

/** Runs commands in a separate directory and records their output. */
final class CommandLineFixture {
    final Map<String, String> variables = new HashMap<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    /** Both streams, as a terminal shows them. */
    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();

    private final Path directory;
    private InputStream input = InputStream.nullInputStream();
    private boolean outIsTerminal;
    private boolean errIsTerminal;

    CommandLineFixture(Path directory, FakeService service) {
        this.directory = directory;
        variables.put("SALLYPORT_URL", service.url());
        variables.put("SALLYPORT_KEY", FakeService.KEY);
    }

    CommandLineFixture withInput(String text) {
        input = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    CommandLineFixture withTerminalOutput() {
        outIsTerminal = true;
        return this;
    }

    CommandLineFixture withTerminalErrors() {
        errIsTerminal = true;
        return this;
    }

    int run(String... arguments) {
        Terminal terminal = new Terminal(
                new PrintStream(copyToScreen(out), true, StandardCharsets.UTF_8),
                new PrintStream(copyToScreen(err), true, StandardCharsets.UTF_8),
                outIsTerminal,
                errIsTerminal,
                new TerminalStyle(100, false, false));
        return new CliRunner(new CliEnvironment(variables, directory, directory, "java", input), terminal)
                .run(arguments);
    }

    private OutputStream copyToScreen(OutputStream stream) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                stream.write(b);
                screen.write(b);
            }
        };
    }

    String screen() {
        return screen.toString(StandardCharsets.UTF_8);
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
