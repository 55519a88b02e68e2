package org.sallyport.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TerminalTableTest {
    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        TerminalTable table =
                new TerminalTable("TOOL", "TEXT").addRow("demo.add", "adds").addRow("x", "y\u001b[0m\nz");

        assertThat(table.lines(80))
                .containsExactly("TOOL      TEXT", "demo.add  adds", "x         y\\u001b[0m\\u000az");
    }

    @Test
    void noLineIsLongerThanTheTerminal() {
        assertThat(new TerminalTable("A").addRow("0123456789").lines(6)).containsExactly("A", "01234~");
    }

    @Test
    void linesForAnotherProgramAreComplete() {
        String name = "n".repeat(300);

        assertThat(print(true, name)).doesNotContain(name).contains("~");
        assertThat(print(false, name)).contains(name);
    }

    private static String print(boolean outIsTerminal, String name) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        new Terminal(stream, stream, outIsTerminal, false, new TerminalStyle(80, false, false))
                .printTable(new TerminalTable("NAME").addRow(name));
        return out.toString(StandardCharsets.UTF_8);
    }
}
