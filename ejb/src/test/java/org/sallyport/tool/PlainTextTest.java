package org.sallyport.tool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PlainTextTest {
    private static String shown(String text) {
        return PlainText.singleLine(text, 100);
    }

    @Test
    void invisibleCharactersBecomeBlanks() {
        assertThat(shown("größe 查询 😀")).isEqualTo("größe 查询 😀");
        assertThat(shown("a\0\r\n\u0085b\u001b[1mc")).isEqualTo("a b [1mc");
        assertThat(shown("a\u2028b\u2029c")).isEqualTo("a b c");
        assertThat(shown("a\u202eb\u2066c\u061cd\u200be")).isEqualTo("a b c d e");
        assertThat(shown("a\ud83db\ude00c")).isEqualTo("a b c");
        assertThat(shown("a\ue000b")).isEqualTo("a b");
        assertThat(shown("")).isEmpty();
    }

    @Test
    void longTextIsCutBetweenCharacters() {
        assertThat(PlainText.singleLine("abc", 3)).isEqualTo("abc");
        assertThat(PlainText.singleLine("abcd", 3)).isEqualTo("abc…");
        assertThat(PlainText.singleLine("ab😀", 3)).isEqualTo("ab…");
        assertThat(PlainText.truncate("ab😀", 4)).isEqualTo("ab😀");
        assertThat(PlainText.truncate("ab\ud83dx", 3)).isEqualTo("ab\ud83d");
        assertThat(PlainText.truncate("😀", 1)).isEmpty();
        assertThat(PlainText.truncate("a", 0)).isEmpty();
        assertThat(PlainText.shorten("a\nb", 3)).isEqualTo("a\nb");
        assertThat(PlainText.shorten("a\nbc", 3)).isEqualTo("a\nb…");
    }
}
