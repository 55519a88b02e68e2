package org.sallyport.web.async;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/** The content of a stream. Used by one thread at a time. */
public interface StreamSource {

    /** The media type of the stream. */
    String mediaType();

    /** Further headers of the response. */
    default Map<String, String> headers() {
        return Map.of();
    }

    /** The length of the stream in bytes; empty if it is not known. */
    default OptionalLong contentLength() {
        return OptionalLong.empty();
    }

    /** Returns the next chunk, of a few megabytes at most. May block on the store. */
    StreamChunk next();

    /**
     * Returns a stage that completes when there may be more, after {@code millis} at the latest, on a thread that may
     * block.
     */
    CompletionStage<Void> awaitNext(long millis);

    /** Bytes that show the client that the stream is alive although there is no news; may be empty. */
    byte[] keepAlive();

    /**
     * A part of a stream.
     *
     * @param bytes the bytes to write; empty if there is nothing new
     * @param last whether this is the last chunk
     */
    @SuppressWarnings("ArrayRecordComponent")
    record StreamChunk(byte[] bytes, boolean last) {
        private static final byte[] NO_BYTES = {};

        /** No bytes now; more may follow. */
        public static final StreamChunk NOTHING_YET = new StreamChunk(NO_BYTES, false);

        /** End of the stream. */
        public static final StreamChunk END = new StreamChunk(NO_BYTES, true);

        /** A chunk that is not the last one. */
        public static StreamChunk of(byte[] bytes) {
            return new StreamChunk(bytes, false);
        }
    }
}
