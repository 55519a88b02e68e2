package org.sallyport.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonUtf8WriterTest {
    private static final char HIGH = '\ud83d';
    private static final char LOW = '\ude00';

    @Test
    void loneSurrogatesOfTextsAndRawValuesAreReplaced() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("output", "a" + HIGH + "b");
        json.putRawValue("result", new RawValue("[\"c\\udc00d\",\"\\ud83d\\ude00\",\"\\\\ud800\"]"));
        json.put("literal", "\\ud800");

        assertThat(new String(JsonUtf8Writer.bytes(json), StandardCharsets.UTF_8))
                .isEqualTo("{\"output\":\"a\ufffdb\",\"result\":[\"c\ufffdd\",\"\\ud83d\\ude00\",\"\\\\ud800\"],"
                        + "\"literal\":\"\\\\ud800\"}");
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
            ObjectNode json = JsonNodeFactory.instance.objectNode().put("text", text.toString());

            byte[] bytes = JsonUtf8Writer.bytes(json);

            String utf8 = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            String expected = new String(text.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            assertThat(new ObjectMapper()
                            .readTree(utf8)
                            .path("text")
                            .textValue()
                            .replace('\ufffd', '?'))
                    .isEqualTo(expected);
        }
    }
}
