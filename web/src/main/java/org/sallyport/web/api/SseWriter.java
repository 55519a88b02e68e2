package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.sallyport.web.JsonUtf8Writer;

/** Encodes server-sent events. */
final class SseWriter {
    static final String MEDIA_TYPE = "text/event-stream;charset=utf-8";

    /** A comment, which clients ignore. */
    private static final byte[] KEEP_ALIVE = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private SseWriter() {}

    /**
     * Encodes an event.
     *
     * @param id one line of ASCII
     * @param name one line of ASCII
     */
    static byte[] event(String id, String name, ObjectNode data) {
        byte[] json = JsonUtf8Writer.bytes(data);
        for (int i = 0; i < json.length; i++) {
            // Line breaks occur only between tokens, because strings escape them; there any white space will do.
            if (json[i] == '\n' || json[i] == '\r') {
                json[i] = ' ';
            }
        }
        ByteArrayOutputStream event = new ByteArrayOutputStream(json.length + 100);
        event.writeBytes(("id: " + id + "\nevent: " + name + "\ndata: ").getBytes(StandardCharsets.US_ASCII));
        event.writeBytes(json);
        event.writeBytes(new byte[] {'\n', '\n'});
        return event.toByteArray();
    }

    static byte[] keepAlive() {
        return KEEP_ALIVE.clone();
    }
}
