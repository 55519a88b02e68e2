package org.sallyport.connector.mcp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
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

    private final int maxEventBytes;
    private final SseListener listener;
    private ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final List<String> dataLines = new ArrayList<>();
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
        this.maxEventBytes = maxEventBytes;
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

    /** Ends the stream after its last byte. An event that only lacks its blank line counts: some servers omit it. */
    void end() {
        if (line.size() > 0 || skipsLine || scansLine) {
            endLine();
        }
        endEvent();
    }

    private void append(byte[] bytes, int from, int length) {
        if (length == 0 || skipsLine) {
            return;
        }
        ResponseIdScanner scanner = oversized;
        if (scansLine && scanner != null) {
            scanner.write(bytes, from, length);
            reportIfResponse(scanner);
            return;
        }
        if (line.size() == 0 && bytes[from] == ':') {
            skipsLine = true;
            return;
        }
        line.write(bytes, from, length);
        int limit = scanner == null ? maxEventBytes + DATA_PREFIX.length() + 1 : MAX_SHORT_LINE_BYTES;
        if (line.size() > DATA_PREFIX.length() && dataBytes + line.size() > limit) {
            skipLongLine();
        }
    }

    /** Skips the rest of a line that is too long. If it is data, the whole event is too long. */
    private void skipLongLine() {
        byte[] beginning = line.toByteArray();
        boolean isData = new String(beginning, 0, DATA_PREFIX.length(), StandardCharsets.UTF_8).equals(DATA_PREFIX);
        line = new ByteArrayOutputStream();
        if (!isData || oversized != null) {
            skipsLine = true;
            return;
        }
        ResponseIdScanner scanner = new ResponseIdScanner();
        for (String earlier : dataLines) {
            byte[] bytes = (earlier + "\n").getBytes(StandardCharsets.UTF_8);
            scanner.write(bytes, 0, bytes.length);
        }
        scanner.write(beginning, DATA_PREFIX.length(), beginning.length - DATA_PREFIX.length());
        oversized = scanner;
        scansLine = true;
        dataLines.clear();
        dataBytes = 0;
        reportIfResponse(scanner);
    }

    private void reportIfResponse(ResponseIdScanner scanner) {
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
            case DATA -> {
                if (oversized == null) {
                    dataLines.add(value);
                    dataBytes += bytes + 1;
                }
            }
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

    private void endEvent() {
        String eventId = id;
        if (eventId != null) {
            listener.onEventId(eventId);
        }
        String data = String.join("\n", dataLines);
        String eventType = type;
        boolean hasData = !dataLines.isEmpty();
        boolean skipped = oversized != null;
        boolean reported = oversizedReported;
        id = null;
        type = "";
        dataLines.clear();
        dataBytes = 0;
        oversized = null;
        oversizedReported = false;
        if (hasData) {
            listener.onEvent(eventType, data);
        } else if (skipped && !reported) {
            listener.onOversizedEvent(Optional.empty());
        }
    }
}
