package org.sallyport.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.sallyport.tool.LoneSurrogateReplacer;

/** Encodes JSON as UTF-8 for clients. A lone surrogate, also one that is written as an escape, becomes U+FFFD. */
public final class JsonUtf8Writer {
    private static final ObjectWriter WRITER = new ObjectMapper().writer();

    private static final int PIECE_CHARS = 16 << 10;

    private JsonUtf8Writer() {}

    /** Writes {@code json} without having its whole text in memory. Does not close the stream. */
    public static void write(JsonNode json, OutputStream out) throws IOException {
        write(json, out, PIECE_CHARS);
    }

    static void write(JsonNode json, OutputStream out, int pieceChars) throws IOException {
        WRITER.writeValue(new JsonPieceWriter(out, pieceChars), json); // Closes the writer.
    }

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
