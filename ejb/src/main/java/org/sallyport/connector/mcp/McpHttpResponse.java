package org.sallyport.connector.mcp;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads one response of a server: passes the events of a stream on as they arrive, and keeps any other body up to a
 * maximum length. Its results are available after the exchange of the HTTP client has ended.
 */
final class McpHttpResponse implements HttpResponse.BodyHandler<Void> {
    private static final int MAX_ERROR_BYTES = 16_384;
    /** How long a body is read that brings no awaited message, and may have no end. */
    private static final Duration MAX_OTHER_BODY_TIME = Duration.ofSeconds(2);

    private final int maxMessageBytes;
    private final boolean bringsMessages;
    private final SseReader events;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private volatile HttpResponse.@Nullable ResponseInfo info;
    private volatile boolean tooLong;

    /** @param bringsMessages whether the client waits for messages in the body of a success */
    McpHttpResponse(int maxMessageBytes, boolean bringsMessages, SseReader.SseListener listener) {
        this.maxMessageBytes = maxMessageBytes;
        this.bringsMessages = bringsMessages;
        this.events = new SseReader(maxMessageBytes, listener);
    }

    @Override
    public HttpResponse.BodySubscriber<Void> apply(HttpResponse.ResponseInfo received) {
        info = received;
        IncrementalBodySubscriber subscriber =
                new IncrementalBodySubscriber(isEventStream() ? new StreamListener() : new BodyCollector());
        return bringsMessages && isSuccess() ? subscriber : subscriber.endAfter(MAX_OTHER_BODY_TIME);
    }

    private final class StreamListener implements IncrementalBodySubscriber.BodyListener {
        @Override
        public boolean onPiece(ByteBuffer piece) {
            events.read(piece);
            return true;
        }

        @Override
        public void onEnd() {
            events.end();
        }
    }

    private final class BodyCollector implements IncrementalBodySubscriber.BodyListener {
        private final int maxBytes = isSuccess() ? maxMessageBytes : MAX_ERROR_BYTES;

        @Override
        public boolean onPiece(ByteBuffer piece) {
            if (body.size() + piece.remaining() > maxBytes) {
                tooLong = true;
                return false;
            }
            byte[] bytes = new byte[piece.remaining()];
            piece.get(bytes);
            body.writeBytes(bytes);
            return true;
        }
    }

    /** HTTP status; 0 if no response was received. */
    int status() {
        HttpResponse.ResponseInfo received = info;
        return received == null ? 0 : received.statusCode();
    }

    boolean isSuccess() {
        return status() / 100 == 2;
    }

    boolean isEventStream() {
        return isSuccess() && mediaType().equals(McpHttpClient.EVENT_STREAM);
    }

    Optional<String> header(String name) {
        HttpResponse.ResponseInfo received = info;
        return received == null ? Optional.empty() : received.headers().firstValue(name);
    }

    /** Media type in lower case and without parameters; empty text if there is none. */
    String mediaType() {
        return header("Content-Type").orElse("").split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    /** The body, if the response is no stream of events; of an error or a body that is too long, its beginning. */
    String body() {
        return body.toString(StandardCharsets.UTF_8);
    }

    /** Whether a body exceeds its maximum length. */
    boolean tooLong() {
        return tooLong;
    }
}
