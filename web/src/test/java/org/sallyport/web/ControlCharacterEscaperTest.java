package org.sallyport.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControlCharacterEscaperTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plain ä 日本 | 0",
                "pay \u202e001 | 1",
                "a\u200bb | 1",
                "a\u0007b | 1",
                "a\u2028b | 1",
                "\uD83D\uDC68\u200D\uD83D\uDC69 | 0"
            })
    void invisibleCharactersAreEscaped(String text, int marks) {
        String shown = ControlCharacterEscaper.escape(text);

        assertThat(shown.codePoints().noneMatch(c -> Character.getType(c) == Character.CONTROL || c == 0x202e))
                .isTrue();
        assertThat(shown.split("\\\\u", -1)).hasSize(marks + 1);
    }
}
