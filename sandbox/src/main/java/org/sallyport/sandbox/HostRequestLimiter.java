package org.sallyport.sandbox;

import java.util.HashMap;
import java.util.Map;

/**
 * How much a session asks of the host at one time: all of it lies in the host's memory until it is answered. Thread-safe.
 */
public final class HostRequestLimiter {
    /** Characters of requests without an answer, at most: two of the largest artifacts and something beside them. */
    public static final long MAX_CHARS = 32 << 20;

    private final Map<Long, Integer> charsByCall = new HashMap<>();
    private long openChars;

    /** Adds a request, if there is room for it. */
    public synchronized boolean tryAdd(long call, int length) {
        if (!hasCapacity(length)) {
            return false;
        }
        charsByCall.put(call, length);
        openChars += length;
        return true;
    }

    /** Whether a request of that many characters may be added. */
    public synchronized boolean hasCapacity(int length) {
        return openChars + length <= MAX_CHARS;
    }

    /** A call was answered, if it was one of these. */
    public synchronized void release(long call) {
        Integer length = charsByCall.remove(call);
        openChars -= length == null ? 0 : length;
    }
}
