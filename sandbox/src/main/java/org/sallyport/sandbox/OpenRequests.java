package org.sallyport.sandbox;

import java.util.HashMap;
import java.util.Map;

/**
 * How much a session asks of the host at one time: all of it lies in the host's memory until it is answered. Thread-safe.
 */
public final class OpenRequests {
    /** Characters of requests without an answer, at most: two of the largest artifacts and something beside them. */
    public static final long MAX_CHARS = 32 << 20;

    private final Map<Long, Integer> open = new HashMap<>();
    private long chars;

    /** Adds a request, if there is room for it. */
    public synchronized boolean add(long call, int length) {
        if (!hasRoom(length)) {
            return false;
        }
        open.put(call, length);
        chars += length;
        return true;
    }

    /** Whether a request of that many characters may be added. */
    public synchronized boolean hasRoom(int length) {
        return chars + length <= MAX_CHARS;
    }

    /** A call was answered, if it was one of these. */
    public synchronized void answered(long call) {
        Integer length = open.remove(call);
        chars -= length == null ? 0 : length;
    }
}
