package org.sallyport.store;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionState;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/** Makes trace events of rows. */
final class TraceEvents {
    private TraceEvents() {}

    static TraceEvent of(TraceEventRow row) {
        return switch (row.type) {
            case TraceEventRow.TOOL_STARTED ->
                new TraceEvent.ToolStarted(
                        row.seq,
                        row.at,
                        orZero(row.call),
                        tool(row),
                        row.arguments == null ? Json.NULL : row.arguments,
                        Boolean.TRUE.equals(row.replayed));
            case TraceEventRow.TOOL_ENDED ->
                new TraceEvent.ToolEnded(
                        row.seq,
                        row.at,
                        orZero(row.call),
                        tool(row),
                        orZero(row.durationMillis),
                        orZero(row.queueMillis),
                        Optional.ofNullable(row.result),
                        error(row),
                        Boolean.TRUE.equals(row.replayed));
            case TraceEventRow.STATE_CHANGED ->
                new TraceEvent.StateChanged(row.seq, row.at, state(row), row.attempt == null ? 0 : row.attempt);
            case TraceEventRow.RECORDED -> new TraceEvent.Recorded(row.seq, row.at, row.notes == null ? "" : row.notes);
            default -> throw new IllegalStateException("unknown type of trace event: " + row.type);
        };
    }

    private static long orZero(@Nullable Long value) {
        return value == null ? 0 : value;
    }

    private static ToolName tool(TraceEventRow row) {
        if (row.tool == null) {
            throw new IllegalStateException("a call without a tool: " + row.executionId + "/" + row.seq);
        }
        // Whatever was stored can be read: a name that is none is shown as it is.
        int dot = row.tool.indexOf('.');
        return new ToolName(row.tool.substring(0, Math.max(0, dot)), row.tool.substring(dot + 1));
    }

    private static ExecutionState state(TraceEventRow row) {
        if (row.state == null) {
            throw new IllegalStateException("a change of state without a state: " + row.executionId + "/" + row.seq);
        }
        return ExecutionState.valueOf(row.state);
    }

    private static Optional<ToolError> error(TraceEventRow row) {
        if (row.errorCode == null) {
            return Optional.empty();
        }
        ToolErrorCode code = ToolErrorCode.of(row.errorCode).orElse(ToolErrorCode.TOOL_FAILED);
        String message = row.errorMessage == null ? "" : row.errorMessage;
        return Optional.of(new ToolError(code, message, Optional.ofNullable(row.errorDetails)));
    }
}
