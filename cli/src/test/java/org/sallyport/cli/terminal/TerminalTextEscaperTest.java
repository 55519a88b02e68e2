package org.sallyport.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalTextEscaperTest {
    @Test
    void ordinaryTextInAnyLanguageIsUnchanged() {
        String text = "Grüße, мир, 世界, שלום, 👩‍👩‍👧 \t tab\nnew line";

        assertThat(TerminalTextEscaper.escapeText(text)).isSameAs(text);
    }

    @Test
    void terminalControlCharactersAreEscaped() {
        Map<String, String> shown = Map.of(
                "\u001b[31mred", "\\u001b[31mred",
                "bell\u0007", "bell\\u0007",
                "over\rwritten", "over\\u000dwritten",
                "back\b\b", "back\\u0008\\u0008",
                "\u009b2J", "\\u009b2J",
                "\u007f", "\\u007f",
                "user\u202etxt.exe", "user\\u202etxt.exe",
                "a\u2066b\u2069", "a\\u2066b\\u2069",
                "no\u200bspace", "no\\u200bspace",
                "line\u2028separator", "line\\u2028separator");

        shown.forEach((text, expected) ->
                assertThat(TerminalTextEscaper.escapeText(text)).isEqualTo(expected));
    }

    @Test
    void hiddenTagsAndLoneSurrogatesAreEscapedAsCodeUnits() {
        assertThat(TerminalTextEscaper.escapeText("\udb40\udc41")).isEqualTo("\\udb40\\udc41");
        assertThat(TerminalTextEscaper.escapeText("x\ud800y")).isEqualTo("x\\ud800y");
    }

    @Test
    void escapedLineStaysOnOneLine() {
        assertThat(TerminalTextEscaper.escapeLine("demo.add\n\tFAKE LINE"))
                .isEqualTo("demo.add\\u000a\\u0009FAKE LINE");
    }
}
