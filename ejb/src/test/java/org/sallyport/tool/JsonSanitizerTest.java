package org.sallyport.tool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonSanitizerTest {
    /** H and L stand for the high and low half of a surrogate pair, h and l for their escapes, Z for NUL. */
    private static String text(String pattern) {
        return '"'
                + pattern.replace("h", "\\ud83d")
                        .replace("l", "\\ude00")
                        .replace('H', '\ud83d')
                        .replace('L', '\ude00')
                        .replace('Z', '\0')
                + '"';
    }

    @ParameterizedTest
    @CsvSource({"H, h", "L, l", "aHLb, aHLb", "h, h", "HLL, HLl", "HHL, hHL", "LH, lh", "Hl, hl"})
    void loneSurrogatesAreEscapedWithoutLoss(String in, String out) {
        assertThat(JsonSanitizer.sanitize(text(in))).isEqualTo(text(out));
    }

    @Test
    void nulIsEscaped() {
        assertThat(JsonSanitizer.sanitize(text("aZb"))).isEqualTo("\"a\\u0000b\"");
    }

    @Test
    void textThatNeedsNoEscapeIsNotCopied() {
        String json = text("aHL\\n");

        assertThat(JsonSanitizer.sanitize(json)).isSameAs(json);
    }
}
