package org.sallyport.store.jpa;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalState;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.journal.ConnectorReport;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/** Maps rows to trace events. Stateless and thread-safe. */
final class TraceEventMapper {
    private static final Pattern SERVED = Pattern.compile("([0-9]{1,18})(?: ([A-Za-z0-9-]{1,40}))?");

    private TraceEventMapper() {}

    static TraceEvent toTraceEvent(TraceEventEntity row) {
        return switch (row.type) {
            case TraceEventEntity.TOOL_STARTED ->
                new TraceEvent.ToolStarted(
                        row.seq,
                        row.at,
                        orZero(row.call),
                        tool(row),
                        row.arguments == null ? Json.NULL : row.arguments,
                        Boolean.TRUE.equals(row.replayed));
            case TraceEventEntity.TOOL_ENDED ->
                new TraceEvent.ToolEnded(
                        row.seq,
                        row.at,
                        orZero(row.call),
                        tool(row),
                        orZero(row.durationMillis),
                        orZero(row.queueMillis),
                        Optional.ofNullable(row.result),
                        error(row),
                        Boolean.TRUE.equals(row.replayed),
                        row.attempt == null ? 1 : row.attempt,
                        served(row.notes));
            case TraceEventEntity.STATE_CHANGED ->
                new TraceEvent.StateChanged(row.seq, row.at, state(row), row.attempt == null ? 0 : row.attempt);
            case TraceEventEntity.RECORDED ->
                new TraceEvent.ReplayLogRecorded(row.seq, row.at, row.notes == null ? "" : row.notes);
            case TraceEventEntity.ANSWERED ->
                new TraceEvent.CachedResultUsed(
                        row.seq, row.at, ExecutionId.parse(text(row.notes)).orElseThrow());
            case TraceEventEntity.JUDGED ->
                new TraceEvent.PolicyDecided(
                        row.seq, row.at, orZero(row.call), tool(row), text(row.rule), text(row.state));
            case TraceEventEntity.ASKED ->
                new TraceEvent.ApprovalRequested(
                        row.seq, row.at, orZero(row.call), tool(row), approval(row), kind(row));
            case TraceEventEntity.DECIDED ->
                new TraceEvent.ApprovalDecided(
                        row.seq,
                        row.at,
                        orZero(row.call),
                        tool(row),
                        approval(row),
                        kind(row),
                        ApprovalState.valueOf(text(row.state)),
                        text(row.decider),
                        LosslessText.decode(text(row.notes)),
                        Optional.ofNullable(row.arguments));
            default -> throw new IllegalStateException("unknown type of trace event: " + row.type);
        };
    }

    /**
     * Encodes a connector's report: the backend's milliseconds, then a blank and the connector's node if the node is
     * known.
     */
    static String served(ConnectorReport served) {
        return served.backendMillis() + served.node().map(node -> " " + node).orElse("");
    }

    /** Decodes a connector's report. Text in another form yields empty, so that every stored row can be read. */
    private static Optional<ConnectorReport> served(@Nullable String stored) {
        Matcher matcher = SERVED.matcher(text(stored));
        return matcher.matches()
                ? Optional.of(
                        new ConnectorReport(Long.parseLong(matcher.group(1)), Optional.ofNullable(matcher.group(2))))
                : Optional.empty();
    }

    private static UUID approval(TraceEventEntity row) {
        return UUID.fromString(text(row.approval));
    }

    private static ApprovalKind kind(TraceEventEntity row) {
        return ApprovalKind.valueOf(text(row.approvalKind));
    }

    private static String text(@Nullable String stored) {
        return stored == null ? "" : stored;
    }

    private static long orZero(@Nullable Long value) {
        return value == null ? 0 : value;
    }

    private static ToolName tool(TraceEventEntity row) {
        if (row.tool == null) {
            throw new IllegalStateException("a call without a tool: " + row.executionId + "/" + row.seq);
        }
        return toolName(row.tool);
    }

    /**
     * Parses a stored tool name. Invalid text yields a name that shows it unchanged, so that every stored row can be
     * read.
     */
    static ToolName toolName(String stored) {
        int dot = stored.indexOf('.');
        return new ToolName(stored.substring(0, Math.max(0, dot)), stored.substring(dot + 1));
    }

    private static ExecutionState state(TraceEventEntity row) {
        if (row.state == null) {
            throw new IllegalStateException("a change of state without a state: " + row.executionId + "/" + row.seq);
        }
        return ExecutionState.valueOf(row.state);
    }

    private static Optional<ToolError> error(TraceEventEntity row) {
        if (row.errorCode == null) {
            return Optional.empty();
        }
        ToolErrorCode code = ToolErrorCode.of(row.errorCode).orElse(ToolErrorCode.TOOL_FAILED);
        String message = row.errorMessage == null ? "" : row.errorMessage;
        return Optional.of(new ToolError(code, message, Optional.ofNullable(row.errorDetails)));
    }
}
