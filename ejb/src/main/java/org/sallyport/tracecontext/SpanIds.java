package org.sallyport.tracecontext;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/**
 * Ids that follow from what they name: whoever tells of the same thing again, after a crash or on another node, tells of it under
 * the same id.
 */
public final class SpanIds {
    private static final int TRACE_BYTES = 16;
    private static final int SPAN_BYTES = 8;

    private SpanIds() {}

    /** Of the trace that an execution begins. */
    public static String trace(UUID execution) {
        return id("trace/" + execution, TRACE_BYTES);
    }

    /** Of an execution. */
    public static String execution(UUID execution) {
        return id("execution/" + execution, SPAN_BYTES);
    }

    /** Of one of its calls. */
    public static String call(UUID execution, long ordinal) {
        return id("call/" + execution + "/" + ordinal, SPAN_BYTES);
    }

    /** Of people being asked. */
    public static String approval(UUID approval) {
        return id("approval/" + approval, SPAN_BYTES);
    }

    /** Of the time in which it was parked, from the event with that number on. */
    public static String wait(UUID execution, long seq) {
        return id("wait/" + execution + "/" + seq, SPAN_BYTES);
    }

    private static String id(String name, int bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            // Zero is no id; that it comes out here is as likely as two that are the same.
            return HexFormat.of().formatHex(hash, 0, bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
