package org.sallyport.toolgraph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/**
 * Extracts the transitions of one execution: each call that a tool answered, with the tool whose reply came last before
 * the script made the call. Concurrent calls follow the same reply, not each other.
 */
public final class ToolTransitions {
    private static final int MAX_NAME_LENGTH = 150;

    /** Errors that concern the script or its rights, not a tool. */
    private static final Set<String> IGNORED_ERRORS = Set.of(
                    ToolErrorCode.TOOL_NOT_FOUND,
                    ToolErrorCode.NOT_GRANTED,
                    ToolErrorCode.DENIED,
                    ToolErrorCode.INVALID_ARGUMENTS,
                    ToolErrorCode.TOOL_QUARANTINED,
                    ToolErrorCode.TOOL_UNUSABLE,
                    ToolErrorCode.CANCELLED,
                    ToolErrorCode.EGRESS_DENIED,
                    ToolErrorCode.CALL_LIMIT,
                    ToolErrorCode.JOURNAL_LIMIT,
                    ToolErrorCode.BUDGET_EXCEEDED,
                    ToolErrorCode.QUOTA_EXCEEDED,
                    ToolErrorCode.CAPABILITY_CYCLE,
                    ToolErrorCode.VARIABLES_NOT_SET,
                    ToolErrorCode.TOOLS_MISSING,
                    ToolErrorCode.SANDBOX_NOT_ALLOWED,
                    ToolErrorCode.NOT_RECORDED)
            .stream()
            .map(ToolErrorCode::code)
            .collect(Collectors.toUnmodifiableSet());

    /**
     * A call that a tool answered.
     *
     * @param previousTool the tool whose reply came last before the call; empty for the first calls of a script
     */
    public record ToolTransition(String tool, Optional<String> previousTool, boolean success, long millis) {}

    private ToolTransitions() {}

    /** Returns the calls of an execution, in the order in which they ended. */
    public static List<ToolTransition> of(List<FinishedExecution.CallStep> steps) {
        List<ToolTransition> calls = new ArrayList<>();
        Map<Long, Optional<String>> open = new HashMap<>();
        Set<Long> mocked = new HashSet<>();
        Optional<String> last = Optional.empty();
        for (FinishedExecution.CallStep step : steps) {
            if (step instanceof FinishedExecution.CallStarted started) {
                open.put(started.call(), last);
            } else if (step instanceof FinishedExecution.CallMocked mock) {
                mocked.add(mock.call());
            } else if (step instanceof FinishedExecution.CallEnded ended) {
                Optional<String> after = open.remove(ended.call());
                if (after != null && !mocked.contains(ended.call()) && isCounted(ended)) {
                    calls.add(new ToolTransition(
                            ended.tool(), after, ended.error().isEmpty(), Math.max(0, ended.millis())));
                    last = Optional.of(ended.tool());
                }
            }
        }
        return calls;
    }

    private static boolean isCounted(FinishedExecution.CallEnded ended) {
        return !ended.replayed()
                && isToolName(ended.tool())
                && ended.error().filter(IGNORED_ERRORS::contains).isEmpty();
    }

    /** Excludes the host's own functions, which are no tools, and names that are too long for an index. */
    private static boolean isToolName(String name) {
        int dot = name.indexOf('.');
        return dot > 0
                && dot < name.length() - 1
                && !name.startsWith("$")
                && name.length() <= MAX_NAME_LENGTH
                && ToolName.parse(name).isWellFormed();
    }
}
