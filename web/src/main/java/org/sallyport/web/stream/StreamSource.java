package org.sallyport.web.stream;

import java.util.concurrent.CompletionStage;

/** What a stream is made of. Used by one thread at a time. */
public interface StreamSource {

    /** The media type of the whole. */
    String mediaType();

    /** The next piece, a few megabytes at most; may wait for the store. */
    StreamChunk next();

    /** Completes on a thread that may block when there may be more, after {@code millis} at the latest. */
    CompletionStage<Void> awaitNext(long millis);

    /** What tells a client that nothing has happened but that the stream is alive; may be empty. */
    byte[] keepAlive();

    /**
     * A part of a stream.
     *
     * @param bytes what is written; empty when there is nothing new
     * @param last whether nothing follows
     */
    @SuppressWarnings("ArrayRecordComponent")
    record StreamChunk(byte[] bytes, boolean last) {
        private static final byte[] NO_BYTES = {};

        /** There is nothing now, but there may be later. */
        public static final StreamChunk NOTHING_YET = new StreamChunk(NO_BYTES, false);

        /** There is nothing more. */
        public static final StreamChunk END = new StreamChunk(NO_BYTES, true);

        /** Something, and more to come. */
        public static StreamChunk of(byte[] bytes) {
            return new StreamChunk(bytes, false);
        }
    }
}
