package org.sallyport.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

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
}
