package org.sallyport.journal;

import java.time.Instant;
import java.util.Map;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * A call of an earlier run, or of the recording of a re-run.
 *
 * @param call ordinal of the call
 * @param at when it was made
 * @param replayed whether a re-run took it from the recording
 */
record RecordedCall(long call, ToolName tool, RecordedArguments arguments, Instant at, boolean replayed) {
    /** @param names the names of the tools of earlier calls: equal names are in memory once */
    static RecordedCall of(TraceEvent.ToolStarted started, Map<ToolName, ToolName> names) {
        return new RecordedCall(
                started.call(),
                names.computeIfAbsent(started.tool(), name -> name),
                RecordedArguments.of(started.arguments()),
                started.at(),
                started.replayed());
    }

    boolean differsFrom(ToolName otherTool, RecordedArguments others) {
        return !tool.equals(otherTool) || !arguments.matches(others);
    }

    boolean differsFrom(ToolName otherTool, Json others) {
        return !tool.equals(otherTool) || !arguments.matches(RecordedArguments.of(others));
    }
}
