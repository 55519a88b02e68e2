package org.sallyport.connector.http;

/**
 * Counts the characters of a part of a request before they are built in memory, because scripts choose names that are
 * repeated for each item of a list. Not thread-safe.
 */
final class RequestLengthLimit {
    private static final int MAX_TARGET_LENGTH = 65_536;
    private static final int MAX_HEADER_LENGTH = 65_536;
    private static final int MIN_BODY_LENGTH = 1 << 20;
    /** Percent-encoding makes at most nine characters of one. */
    private static final int MAX_GROWTH = 10;

    private final String part;
    private final long max;
    private long length;

    private RequestLengthLimit(String part, long max) {
        this.part = part;
        this.max = max;
    }

    /** Returns the limit of path and query together. */
    static RequestLengthLimit ofTarget() {
        return new RequestLengthLimit("the URL", MAX_TARGET_LENGTH);
    }

    /** Returns the limit of the value of one header. */
    static RequestLengthLimit ofHeader() {
        return new RequestLengthLimit("a header", MAX_HEADER_LENGTH);
    }

    /**
     * Returns the limit of a form or a multipart body.
     *
     * @param argumentChars length of the argument as JSON
     */
    static RequestLengthLimit ofBody(int argumentChars) {
        return new RequestLengthLimit("the body", MIN_BODY_LENGTH + (long) MAX_GROWTH * argumentChars);
    }

    /** Counts further characters; throws {@link UnencodableArgumentException} if the part would be too long. */
    void add(long characters) {
        length += characters;
        if (length > max) {
            throw new UnencodableArgumentException(part + " would be longer than " + max + " bytes");
        }
    }

    /** Counts a text, and returns it. */
    String counted(String text) {
        add(text.length());
        return text;
    }
}
