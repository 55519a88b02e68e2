package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;

/** Reduces the REST representation of executions to the members that agents need. */
final class ExecutionView {
    private static final List<String> MEMBERS = List.of(
            "id",
            "state",
            "tier",
            "dryRun",
            "readOnly",
            "result",
            "error",
            "output",
            "outputLength",
            "errorOutput",
            "errorOutputLength",
            "truncated",
            "cachedName",
            "progress",
            "waitingFor",
            "trace",
            "queuePosition",
            "cancelRequested",
            "cancellation",
            "blockedAttempts",
            "attempt",
            "submittedBy",
            "schedule",
            "createdAt",
            "startedAt",
            "finishedAt",
            "queueMillis",
            "runMillis",
            "wallMillis",
            "retry");
    private static final Set<String> TERMINAL_STATES = Set.of("COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT");
    /** Maximum characters of a stream in one response. Agents can request the rest. */
    private static final int MAX_OUTPUT_CHARS = 50_000;

    /** Characters of a stream to read: one more, by which a stream that is shortened is recognized. */
    static final int READ_OUTPUT_CHARS = MAX_OUTPUT_CHARS + 1;

    private ExecutionView() {}

    static ObjectNode execution(ObjectNode represented) {
        represented.retain(MEMBERS);
        truncate(represented, "output");
        truncate(represented, "errorOutput");
        if (!isFinished(represented)) {
            represented.put("note", "the execution has not ended; call execution_status with its id");
        }
        return represented;
    }

    /** Shortens a test report. */
    static ObjectNode report(ObjectNode report) {
        truncate(report, "output");
        truncate(report, "errorOutput");
        report.set("id", report.remove("execution"));
        if (!isFinished(report)) {
            report.put("note", "the tests have not ended; call execution_status with the id");
        }
        return report;
    }

    /** Keeps the start of the stream, so that the rest follows at an offset that the agent can compute. */
    private static void truncate(ObjectNode represented, String member) {
        String text = represented.path(member).asText();
        if (text.length() > MAX_OUTPUT_CHARS) {
            int end = Character.isHighSurrogate(text.charAt(MAX_OUTPUT_CHARS - 1))
                    ? MAX_OUTPUT_CHARS - 1
                    : MAX_OUTPUT_CHARS;
            represented.put(member, text.substring(0, end));
        }
    }

    static boolean isFinished(ObjectNode represented) {
        return TERMINAL_STATES.contains(represented.path("state").asText());
    }

    /** Whether the execution has ended in another state than {@code COMPLETED}. */
    static boolean isFailed(ObjectNode represented) {
        return isFinished(represented) && !represented.path("state").asText().equals("COMPLETED");
    }
}
