package org.sallyport.sandbox;

import java.util.HashMap;
import java.util.Map;

/**
 * Limits the total size of the open host requests of one session. The host keeps each request in memory until it has
 * answered it. Thread-safe.
 */
public final class HostRequestLimiter {
    /** Maximum characters of all unanswered requests: two artifacts of the largest size and some smaller requests. */
    public static final long MAX_CHARS = 32 << 20;

    private final Map<Long, Integer> charsByCall = new HashMap<>();
    private long openChars;

    /** Adds a request of {@code length} characters. Returns false, and adds nothing, if the limit would be exceeded. */
    public synchronized boolean tryAdd(long call, int length) {
        if (!hasCapacity(length)) {
            return false;
        }
        charsByCall.put(call, length);
        openChars += length;
        return true;
    }

    /** Returns whether a request of {@code length} characters fits into the limit. */
    public synchronized boolean hasCapacity(int length) {
        return openChars + length <= MAX_CHARS;
    }

    /** Frees the characters of an answered call. Does nothing for a call that was not added. */
    public synchronized void release(long call) {
        Integer length = charsByCall.remove(call);
        openChars -= length == null ? 0 : length;
    }
}
