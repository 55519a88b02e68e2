package org.sallyport.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.nio.charset.StandardCharsets;

/** Encodes JSON as UTF-8. */
public final class JsonUtf8Writer {
    private static final ObjectWriter WRITER = new ObjectMapper().writer();

    private JsonUtf8Writer() {}

    /** The bytes of {@code json}. A lone surrogate, which UTF-8 cannot encode, is written as an escape. */
    public static byte[] bytes(JsonNode json) {
        try {
            return escapeLoneSurrogates(WRITER.writeValueAsString(json)).getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a JSON tree could not be written", e);
        }
    }

    /** In JSON text a surrogate can occur only inside a string, so its escape is always valid there. */
    static String escapeLoneSurrogates(String json) {
        int lone = nextLone(json, 0);
        if (lone < 0) {
            return json;
        }
        StringBuilder escaped = new StringBuilder(json.length() + 16);
        int from = 0;
        while (lone >= 0) {
            escaped.append(json, from, lone).append(String.format("\\u%04x", (int) json.charAt(lone)));
            from = lone + 1;
            lone = nextLone(json, from);
        }
        return escaped.append(json, from, json.length()).toString();
    }

    private static int nextLone(String text, int from) {
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1))) {
                    i++;
                } else {
                    return i;
                }
            }
        }
        return -1;
    }
}
