package org.sallyport.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoneSurrogateReplacerTest {
    private static final char HIGH = '\ud83d';
    private static final char LOW = '\ude00';

    /** H and L stand for the high and low half of a surrogate pair, h and l for their escapes, R for U+FFFD. */
    private static String text(String pattern) {
        return pattern.replace("h", "\\ud83d")
                .replace("l", "\\uDE00")
                .replace('H', HIGH)
                .replace('L', LOW)
                .replace('R', '\ufffd');
    }

    @ParameterizedTest
    @CsvSource({
        "abc, abc",
        "HL, HL",
        "H, R",
        "L, R",
        "LH, RR",
        "HH, RR",
        "HHL, RHL",
        "HLL, HLR",
        "aHb, aRb",
        "HLHLH, HLHLR",
        "h, h",
    })
    void loneSurrogatesOfATextAreReplaced(String in, String out) {
        assertThat(LoneSurrogateReplacer.replaceInText(text(in))).isEqualTo(text(out));
    }

    @ParameterizedTest
    @CsvSource({
        "H, R",
        "HL, HL",
        "hl, hl",
        "h, R",
        "l, R",
        "lh, RR",
        "hhl, Rhl",
        "hll, hlR",
        "ahb, aRb",
        "hHL, RHL",
        "Hl, HL",
        "hL, HL",
        "HlL, HLR",
        "hhL, RHL",
        "Lh, RR",
        "\\\\h, \\\\R",
        "\\\\ud83d, \\\\ud83d",
        "\\\\\\ud83dx, \\\\Rx",
        "\\\"h\\n, \\\"R\\n",
        "\\u0041l, \\u0041R",
    })
    void loneSurrogatesOfAJsonTextAreReplacedAlsoAsEscapes(String in, String out) {
        assertThat(LoneSurrogateReplacer.replaceInJson('"' + text(in) + '"')).isEqualTo('"' + text(out) + '"');
    }

    @Test
    void textWithoutLoneSurrogatesIsNotCopied() {
        String json = new String("{\"a\":\"\\n\\u0041\ud83d\ude00\"}");

        assertThat(LoneSurrogateReplacer.replaceInJson(json)).isSameAs(json);
        assertThat(LoneSurrogateReplacer.replaceInText(json)).isSameAs(json);
    }

    /** Java's encoder writes a question mark for each lone surrogate of the parsed text. */
    @Test
    void replacedJsonHasTheValueThatAnEncoderWouldWrite() throws IOException {
        Random random = new Random(23);
        String[] parts = {
            "a", "\\\"", "\\\\", "\\u0000", "\\n", "é", "" + HIGH, "" + LOW, "" + HIGH + LOW, "\\ud83d", "\\ude00"
        };
        ObjectMapper mapper = new ObjectMapper();
        for (int round = 0; round < 5_000; round++) {
            StringBuilder json = new StringBuilder("\"");
            for (int i = random.nextInt(10); i > 0; i--) {
                json.append(parts[random.nextInt(parts.length)]);
            }
            json.append('"');

            String value = mapper.readTree(json.toString()).textValue();
            String replaced = mapper.readTree(LoneSurrogateReplacer.replaceInJson(json.toString()))
                    .textValue();

            assertThat(replaced.replace('\ufffd', '?'))
                    .as(json.toString())
                    .isEqualTo(new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
        }
    }
}
