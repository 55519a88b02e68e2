package org.sallyport.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TerminalCodeFrameTest {
    @Test
    void positionIsMarkedBetweenTheNeighbouringLines() {
        String source = "one\ntwo\nlet x = = 3;\nfour\nfive\nsix";

        assertThat(TerminalCodeFrame.lines(source, 3, 9))
                .containsExactly(
                        "  1 | one", "  2 | two", "> 3 | let x = = 3;", "    |         ^", "  4 | four", "  5 | five");
    }

    @Test
    void tabsKeepTheMarkAlignedAndControlCharactersAreEscaped() {
        assertThat(TerminalCodeFrame.lines("\t\u001bbad", 1, 3))
                .containsExactly("> 1 | \t\\u001bbad", "    | \t      ^");
    }

    @Test
    void missingLineGivesNoFrame() {
        assertThat(TerminalCodeFrame.lines("one", 2, 1)).isEmpty();
        assertThat(TerminalCodeFrame.lines("one", 0, 1)).isEmpty();
    }
}
