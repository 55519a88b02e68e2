package org.sallyport.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
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
    void textThatIsWrittenInPiecesIsTheSame() throws IOException {
        Random random = new Random(23);
        String[] parts = {
            "a",
            "\"",
            "\\",
            "\\\\",
            "\\n",
            "\\ud83d",
            "\\ude00",
            "\\ud83d\\ude00",
            "\u00e9",
            "\ud83d",
            "\ude00",
            "\ud83d\ude00"
        };
        for (int round = 0; round < 2_000; round++) {
            StringBuilder text = new StringBuilder();
            StringBuilder raw = new StringBuilder();
            int length = random.nextInt(20);
            for (int i = 0; i < length; i++) {
                text.append(parts[random.nextInt(parts.length)]);
                raw.append(parts[3 + random.nextInt(parts.length - 3)]);
            }
            ObjectNode json = JsonNodeFactory.instance.objectNode().put("text", text.toString());
            json.putRawValue("raw", new RawValue('"' + raw.toString() + '"'));
            ByteArrayOutputStream out = new ByteArrayOutputStream();

            JsonUtf8Writer.write(json, out, 1 + random.nextInt(8));

            assertThat(out.toByteArray()).as(json.toString()).isEqualTo(JsonUtf8Writer.bytes(json));
        }
    }

    /** The buffer of a response reserves its memory piece by piece. */
    @Test
    void longTextIsWrittenInManyPieces() throws IOException {
        List<Integer> sizes = new ArrayList<>();
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("text", "x".repeat(1_000_000));
        json.putRawValue("raw", new RawValue('"' + "\ud83d".repeat(1_000_000) + '"'));

        JsonUtf8Writer.write(json, new OutputStream() {
            @Override
            public void write(int b) {
                sizes.add(1);
            }

            @Override
            public void write(byte[] from, int offset, int length) {
                sizes.add(length);
            }
        });

        assertThat(sizes).hasSizeGreaterThan(50).allMatch(size -> size < 200_000);
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
