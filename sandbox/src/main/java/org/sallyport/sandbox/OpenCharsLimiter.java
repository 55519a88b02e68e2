package org.sallyport.sandbox;

import java.util.HashMap;
import java.util.Map;

/**
 * Limits the total size of the open calls of one session. The host keeps the arguments of each call in memory until it
 * has answered it. Thread-safe.
 */
public final class OpenCharsLimiter {
    /** Maximum characters of all unanswered host requests: two artifacts of the largest size and some smaller ones. */
    public static final long MAX_HOST_REQUEST_CHARS = 32 << 20;

    /**
     * Maximum characters of all unanswered calls and host requests for which the session has reserved no memory; see
     * {@link SessionListener#reserveArguments}. Most sessions never need more.
     */
    public static final long MAX_UNRESERVED_CHARS = 32 << 10;

    /** Maximum characters of a result for which the session has reserved no memory. Most results are shorter. */
    public static final int MAX_UNRESERVED_RESULT_CHARS = 16 << 10;

    private final long maxChars;
    private final Map<Long, Integer> charsByCall = new HashMap<>();
    private long openChars;

    /** @param maxChars maximum characters of all open calls together */
    public OpenCharsLimiter(long maxChars) {
        this.maxChars = maxChars;
    }

    /** Adds a call of {@code length} characters. Returns false, and adds nothing, if the limit would be exceeded. */
    public synchronized boolean tryAdd(long call, int length) {
        if (!hasCapacity(length)) {
            return false;
        }
        charsByCall.put(call, length);
        openChars += length;
        return true;
    }

    /** Returns whether a call of {@code length} characters fits into the limit. */
    public synchronized boolean hasCapacity(int length) {
        return openChars + length <= maxChars;
    }

    /** Frees the characters of an answered call. Does nothing for a call that was not added. */
    public synchronized void release(long call) {
        Integer length = charsByCall.remove(call);
        openChars -= length == null ? 0 : length;
    }
}
