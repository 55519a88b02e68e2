package org.sallyport.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonUtf8WriterTest {
    private static final char HIGH = '\ud83d';
    private static final char LOW = '\ude00';

    /** H and L stand for the high and low half of a surrogate pair. */
    @ParameterizedTest
    @CsvSource({
        "abc, abc",
        "HL, HL",
        "H, \\ud83d",
        "L, \\ude00",
        "LH, \\ude00\\ud83d",
        "HH, \\ud83d\\ud83d",
        "HHL, \\ud83dHL",
        "HLL, HL\\ude00",
        "aHb, a\\ud83db",
        "HLHL, HLHL",
        "HLH, HL\\ud83d",
    })
    void onlyLoneSurrogatesAreEscaped(String in, String out) {
        assertThat(JsonUtf8Writer.escapeLoneSurrogates(text(in))).isEqualTo(text(out));
    }

    @Test
    void textWithoutSurrogatesIsNotCopied() {
        String json = new String("{\"a\":1}");

        assertThat(JsonUtf8Writer.escapeLoneSurrogates(json)).isSameAs(json);
    }

    @Test
    void anyTextIsWrittenAsValidUtf8() throws IOException {
        Random random = new Random(17);
        char[] alphabet = {'a', '"', '\\', '\u0000', '\u001f', '\u007f', 'é', '\u2028', '\ufffe', HIGH, LOW};
        for (int round = 0; round < 2_000; round++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(12);
            for (int i = 0; i < length; i++) {
                text.append(alphabet[random.nextInt(alphabet.length)]);
            }
            ObjectNode json = JsonNodeFactory.instance.objectNode().put(text.toString(), text.toString());

            byte[] bytes = JsonUtf8Writer.bytes(json);

            String utf8 = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            assertThat(new ObjectMapper().readTree(utf8)).isEqualTo(json);
        }
    }

    private static String text(String pattern) {
        return pattern.replace('H', HIGH).replace('L', LOW);
    }
}
