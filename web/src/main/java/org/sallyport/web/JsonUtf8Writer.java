package org.sallyport.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.nio.charset.StandardCharsets;
import org.sallyport.tool.LoneSurrogateReplacer;

/** Encodes JSON as UTF-8 for clients. A lone surrogate, also one that is written as an escape, becomes U+FFFD. */
public final class JsonUtf8Writer {
    private static final ObjectWriter WRITER = new ObjectMapper().writer();

    private JsonUtf8Writer() {}

    /** The bytes of {@code json}. */
    public static byte[] bytes(JsonNode json) {
        try {
            return LoneSurrogateReplacer.replaceInJson(WRITER.writeValueAsString(json))
                    .getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a JSON tree could not be written", e);
        }
    }
}
