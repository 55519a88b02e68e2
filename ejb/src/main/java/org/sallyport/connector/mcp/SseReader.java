package org.sallyport.connector.mcp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream of server-sent events from its bytes, in pieces of any length. Holds one event in memory, up to a
 * maximum length; a longer event is skipped. Not thread-safe.
 *
 * @see <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream">HTML</a>
 */
final class SseReader {
    private static final int MAX_SHORT_LINE_BYTES = 1_024;
    private static final int KEPT_LINE_BYTES = 16_384;
    private static final String DATA = "data";
    private static final String DATA_PREFIX = DATA + ":";
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    /** Maximum length of the data of an event with the names of its fields. */
    private final int maxDataBytes;

    private final SseListener listener;
    private ByteArrayOutputStream line = new ByteArrayOutputStream();
    /** Data of the event; null while it has none. */
    private @Nullable StringBuilder data;

    private int dataBytes;
    private String type = "";
    private @Nullable String id;
    /** Whether the last byte was a carriage return, which a line feed may follow. */
    private boolean afterCarriageReturn;

    private boolean firstLine = true;
    /** Whether the rest of the line is skipped: a comment, or a line that is too long. */
    private boolean skipsLine;
    /** Finds the response in an event that is too long; null while the event is not. */
    private @Nullable ResponseIdScanner oversized;
    /** Whether the line belongs to the text that is scanned. */
    private boolean scansLine;

    private boolean oversizedReported;

    /** Receives the parts of a stream in their order. */
    interface SseListener {
        /** An event ended that has an id. Called before its data is passed. */
        void onEventId(String id);

        /**
         * An event with data ended.
         *
         * @param type empty if the event has none
         */
        void onEvent(String type, String data);

        /** The server sets the pause before the stream is opened again. */
        void onRetry(long millis);

        /**
         * An event is too long and is skipped. Called once for each such event, perhaps before it has ended.
         *
         * @param responseId the id, if the event certainly is a JSON-RPC response
         */
        void onOversizedEvent(Optional<String> responseId);
    }

    /** @param maxEventBytes maximum length of the data of an event */
    SseReader(int maxEventBytes, SseListener listener) {
        this.maxDataBytes = maxEventBytes + DATA_PREFIX.length() + 1;
        this.listener = listener;
    }

    /** Reads a piece of the stream. */
    void read(ByteBuffer piece) {
        byte[] bytes = new byte[piece.remaining()];
        piece.get(bytes);
        int from = 0;
        for (int at = 0; at < bytes.length; at++) {
            boolean completesLineEnd = afterCarriageReturn && bytes[at] == '\n';
            afterCarriageReturn = bytes[at] == '\r';
            if (bytes[at] == '\n' || afterCarriageReturn) {
                if (!completesLineEnd) {
                    append(bytes, from, at - from);
                    endLine();
                }
                from = at + 1;
            }
        }
        append(bytes, from, bytes.length - from);
    }

    /**
     * Ends the stream after its last byte. An event that only lacks its blank line counts, because some servers omit
     * it, but not its id: if the rest did not arrive, the stream continues before this event.
     */
    void end() {
        if (line.size() > 0 || skipsLine || scansLine) {
            endLine();
        }
        id = null;
        endEvent();
    }

    private void append(byte[] bytes, int from, int length) {
        if (length == 0 || skipsLine) {
            return;
        }
        if (scansLine) {
            scan(bytes, from, length);
            return;
        }
        if (line.size() == 0 && bytes[from] == ':') {
            skipsLine = true;
            return;
        }
        line.write(bytes, from, length);
        int limit = oversized == null ? maxDataBytes : MAX_SHORT_LINE_BYTES;
        if (line.size() > DATA_PREFIX.length() && dataBytes + line.size() > limit) {
            skipLongLine();
        }
    }

    /** Skips the rest of a line that is too long. If it is data, the whole event is too long. */
    private void skipLongLine() {
        byte[] beginning = line.toByteArray();
        boolean isData = new String(beginning, 0, DATA_PREFIX.length(), StandardCharsets.UTF_8).equals(DATA_PREFIX);
        line = new ByteArrayOutputStream();
        if (!isData) {
            skipsLine = true;
            return;
        }
        scansLine = true;
        scan(beginning, DATA_PREFIX.length(), beginning.length - DATA_PREFIX.length());
    }

    /** Reads data of an event that is too long. */
    private void scan(byte[] bytes, int from, int length) {
        ResponseIdScanner scanner = oversized;
        if (scanner == null) {
            scanner = new ResponseIdScanner();
            oversized = scanner;
            byte[] earlier = takeData().getBytes(StandardCharsets.UTF_8);
            scanner.write(earlier, 0, earlier.length);
        }
        scanner.write(bytes, from, length);
        if (!oversizedReported && scanner.responseId().isPresent()) {
            oversizedReported = true;
            listener.onOversizedEvent(scanner.responseId());
        }
    }

    private void endLine() {
        boolean skipped = skipsLine || scansLine;
        skipsLine = false;
        scansLine = false;
        if (!skipped) {
            String text = line.toString(StandardCharsets.UTF_8);
            int bytes = line.size();
            if (bytes > KEPT_LINE_BYTES) {
                line = new ByteArrayOutputStream();
            } else {
                line.reset();
            }
            readLine(firstLine && text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text, bytes);
        }
        firstLine = false;
    }

    private void readLine(String text, int bytes) {
        if (text.isEmpty()) {
            endEvent();
            return;
        }
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        String value = colon < 0 ? "" : text.substring(text.startsWith(" ", colon + 1) ? colon + 2 : colon + 1);
        switch (name) {
            case DATA -> readData(value, bytes);
            case "event" -> type = value;
            case "id" -> id = value.indexOf('\0') < 0 ? value : id;
            case "retry" -> {
                if (value.matches("[0-9]{1,9}")) {
                    listener.onRetry(Long.parseLong(value));
                }
            }
            default -> {
                // Other fields are ignored.
            }
        }
    }

    private void readData(String value, int lineBytes) {
        if (oversized == null && dataBytes + lineBytes <= maxDataBytes) {
            StringBuilder event = data;
            data = event == null ? new StringBuilder(value) : event.append('\n').append(value);
            dataBytes += lineBytes + 1;
        } else {
            byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
            scan(bytes, 0, bytes.length);
        }
    }

    /** Removes and returns the data of the event. */
    private String takeData() {
        String taken = data == null ? "" : data.toString();
        data = null;
        dataBytes = 0;
        return taken;
    }

    private void endEvent() {
        String eventId = id;
        if (eventId != null) {
            listener.onEventId(eventId);
        }
        boolean hasData = data != null;
        String eventData = takeData();
        String eventType = type;
        boolean skipped = oversized != null;
        boolean reported = oversizedReported;
        id = null;
        type = "";
        oversized = null;
        oversizedReported = false;
        if (hasData) {
            listener.onEvent(eventType, eventData);
        } else if (skipped && !reported) {
            listener.onOversizedEvent(Optional.empty());
        }
    }
}
