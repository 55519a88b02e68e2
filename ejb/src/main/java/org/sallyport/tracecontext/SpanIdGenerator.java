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
public final class SpanIdGenerator {
    private static final int TRACE_BYTES = 16;
    private static final int SPAN_BYTES = 8;

    private SpanIdGenerator() {}

    /** Of the trace that an execution begins. */
    public static String traceId(UUID execution) {
        return hashedId("trace/" + execution, TRACE_BYTES);
    }

    /** Of an execution. */
    public static String executionSpanId(UUID execution) {
        return hashedId("execution/" + execution, SPAN_BYTES);
    }

    /** Of one of its calls. */
    public static String callSpanId(UUID execution, long ordinal) {
        return hashedId("call/" + execution + "/" + ordinal, SPAN_BYTES);
    }

    /** Of people being asked. */
    public static String approvalSpanId(UUID approval) {
        return hashedId("approval/" + approval, SPAN_BYTES);
    }

    /** Of the time in which it was parked, from the event with that number on. */
    public static String waitSpanId(UUID execution, long seq) {
        return hashedId("wait/" + execution + "/" + seq, SPAN_BYTES);
    }

    private static String hashedId(String name, int bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            // Zero is no id; that it comes out here is as likely as two that are the same.
            return HexFormat.of().formatHex(hash, 0, bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
