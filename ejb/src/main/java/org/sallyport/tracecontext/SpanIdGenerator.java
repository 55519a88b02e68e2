package org.sallyport.tracecontext;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/**
 * Derives ids from the objects they identify, so that a repeated export, after a crash or on another node, uses the
 * same ids.
 */
public final class SpanIdGenerator {
    private static final int TRACE_BYTES = 16;
    private static final int SPAN_BYTES = 8;

    private SpanIdGenerator() {}

    /** Returns the id of the trace that an execution starts. */
    public static String traceId(UUID execution) {
        return hashedId("trace/" + execution, TRACE_BYTES);
    }

    /** Returns the id of an execution's span. */
    public static String executionSpanId(UUID execution) {
        return hashedId("execution/" + execution, SPAN_BYTES);
    }

    /** Returns the id of the span of a call. */
    public static String callSpanId(UUID execution, long ordinal) {
        return hashedId("call/" + execution + "/" + ordinal, SPAN_BYTES);
    }

    /** Returns the id of the span of an approval. */
    public static String approvalSpanId(UUID approval) {
        return hashedId("approval/" + approval, SPAN_BYTES);
    }

    /**
     * Returns the id of the span of a period in which the execution was parked.
     *
     * @param seq sequence number of the event that starts the period
     */
    public static String waitSpanId(UUID execution, long seq) {
        return hashedId("wait/" + execution + "/" + seq, SPAN_BYTES);
    }

    private static String hashedId(String name, int bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            // Zero is an invalid id; it is as unlikely here as a collision of two ids.
            return HexFormat.of().formatHex(hash, 0, bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
