package org.sallyport.web.stream;

import java.util.concurrent.CompletionStage;

/** What a stream is made of. Used by one thread at a time. */
public interface Feed {

    /** The media type of the whole. */
    String mediaType();

    /** The next piece, a few megabytes at most; may wait for the store. */
    Piece next();

    /** Completes on a thread that may block when there may be more, after {@code millis} at the latest. */
    CompletionStage<Void> pause(long millis);

    /** What tells a client that nothing has happened but that the stream is alive; may be empty. */
    byte[] keepAlive();

    /**
     * A part of a stream.
     *
     * @param bytes what is written; empty when there is nothing new
     * @param last whether nothing follows
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Piece(byte[] bytes, boolean last) {
        private static final byte[] EMPTY = {};

        /** There is nothing now, but there may be later. */
        public static final Piece NOTHING = new Piece(EMPTY, false);

        /** There is nothing more. */
        public static final Piece END = new Piece(EMPTY, true);

        /** Something, and more to come. */
        public static Piece of(byte[] bytes) {
            return new Piece(bytes, false);
        }
    }
}
