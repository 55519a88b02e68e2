package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Reads the messages of a stream of events, and remembers where the stream can be continued. Serves the responses that
 * continue one stream, one after the other.
 */
final class McpEventListener implements SseReader.SseListener {
    private static final long DEFAULT_RETRY_MILLIS = 1_000;
    private static final int MAX_ID_LENGTH = 4_096;
    private static final Pattern HEADER_TEXT = Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?");

    private final int maxMessageBytes;
    private final Consumer<JSONRPCMessage> messages;
    private final InvalidLineLimiter invalidEvents = new InvalidLineLimiter(System::nanoTime);
    private volatile Optional<String> lastEventId = Optional.empty();
    private volatile long retryMillis = DEFAULT_RETRY_MILLIS;
    private volatile boolean advanced;

    /** The server sends too many events that are no messages. */
    static final class TooManyInvalidEventsException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooManyInvalidEventsException() {
            super("it sends too many events that are not JSON-RPC");
        }
    }

    McpEventListener(int maxMessageBytes, Consumer<JSONRPCMessage> messages) {
        this.maxMessageBytes = maxMessageBytes;
        this.messages = messages;
    }

    /** The id behind which the stream can be continued; empty if it cannot. */
    Optional<String> lastEventId() {
        return lastEventId;
    }

    /** The pause that the server wants before the stream is opened again. */
    long retryMillis() {
        return retryMillis;
    }

    /** Whether there were events since the last call of this method. */
    boolean clearAdvanced() {
        boolean before = advanced;
        advanced = false;
        return before;
    }

    @Override
    public void onEventId(String id) {
        advanced = true;
        // An id that no header can have cannot be sent back.
        lastEventId = Optional.of(id)
                .filter(text -> text.length() <= MAX_ID_LENGTH)
                .filter(text -> HEADER_TEXT.matcher(text).matches());
    }

    @Override
    public void onRetry(long millis) {
        retryMillis = millis;
    }

    @Override
    public void onEvent(String type, String data) {
        advanced = true;
        if (data.isBlank() || !(type.isEmpty() || type.equals("message"))) {
            return;
        }
        List<JSONRPCMessage> read;
        try {
            read = McpMessageReader.read(data);
        } catch (IOException | RuntimeException e) {
            if (!invalidEvents.tryAcquire()) {
                throw new TooManyInvalidEventsException();
            }
            return;
        }
        invalidEvents.recordMessage();
        read.forEach(messages);
    }

    @Override
    public void onOversizedEvent(Optional<String> responseId) {
        advanced = true;
        responseId.ifPresent(id -> messages.accept(tooLongResponse(id, maxMessageBytes)));
    }

    /** The error that replaces an answer that is too long. */
    static JSONRPCMessage tooLongResponse(Object id, int maxMessageBytes) {
        return StrictMcpJsonMapper.tooLongResponse(
                id, "a message of more than " + maxMessageBytes + " bytes (maxResponseBytes)");
    }
}
