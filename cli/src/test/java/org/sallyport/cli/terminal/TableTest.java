package org.sallyport.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        Table table = new Table("TOOL", "TEXT").row("demo.add", "adds").row("x", "y\u001b[0m\nz");

        assertThat(table.lines(80))
                .containsExactly("TOOL      TEXT", "demo.add  adds", "x         y\\u001b[0m\\u000az");
    }

    @Test
    void noLineIsLongerThanTheTerminal() {
        assertThat(new Table("A").row("0123456789").lines(6)).containsExactly("A", "01234~");
    }
}
