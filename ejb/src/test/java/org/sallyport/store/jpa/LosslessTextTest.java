package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.sallyport.tool.JsonSanitizer;

class LosslessTextTest {
    /** Characters at which encoding errors occur. */
    private static final char[] EDGE_CHARS = {
        0, 1, 0x19, 0x1A, 0x1B, ' ', '0', 'a', '"', '\\', 0x7F, 0x80, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000,
        0xFFFE, 0xFFFF
    };

    @Test
    void everyStringRoundTripsThroughStorableText() {
        Random random = new Random(20_260_101);
        for (int round = 0; round < 200_000; round++) {
            String text = randomText(random);
            String stored = LosslessText.encode(text);
            assertThat(LosslessText.decode(stored)).isEqualTo(text);
            assertStorable(stored);
        }
    }

    @Test
    void everyJsonRoundTripsThroughStorableText() throws JsonProcessingException {
        ObjectMapper json = new ObjectMapper();
        Random random = new Random(20_260_102);
        for (int round = 0; round < 50_000; round++) {
            String text = json.writeValueAsString(randomText(random));
            String stored = JsonSanitizer.sanitize(text);
            assertThat(json.readTree(stored)).isEqualTo(json.readTree(text));
            assertStorable(stored);
        }
    }

    @Test
    void ordinaryTextIsNotCopied() {
        String text = "plain, \u00E9, \u2028, \uD83D\uDE00, tab\t\n";
        assertThat(LosslessText.encode(text)).isSameAs(text);
        assertThat(LosslessText.decode(text)).isSameAs(text);
        assertThat(JsonSanitizer.sanitize(text)).isSameAs(text);
        assertThat(LosslessText.encode("a\u0000\uD800\u001A")).isEqualTo("a\u001A0000\u001Ad800\u001A001a");
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(9);
        for (int i = 0; i < length; i++) {
            text.append(
                    random.nextInt(4) == 0
                            ? (char) random.nextInt(0x10000)
                            : EDGE_CHARS[random.nextInt(EDGE_CHARS.length)]);
        }
        return text.toString();
    }

    private static void assertStorable(String stored) {
        byte[] utf8 = stored.getBytes(StandardCharsets.UTF_8);
        assertThat(new String(utf8, StandardCharsets.UTF_8)).isEqualTo(stored).doesNotContain("\u0000");
    }
}
