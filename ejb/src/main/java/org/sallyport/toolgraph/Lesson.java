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
 * What one execution teaches: the calls that tools answered, each with the tool whose answer came last before the script made it. Calls that
 * run side by side follow the same answer, not each other.
 */
public final class Lesson {
    private static final int LONGEST_NAME = 150;

    /** These say something of the script or its rights, not of a tool. */
    private static final Set<String> UNTAUGHT = Set.of(
                    ToolErrorCode.TOOL_NOT_FOUND,
                    ToolErrorCode.NOT_GRANTED,
                    ToolErrorCode.DENIED,
                    ToolErrorCode.INVALID_ARGUMENTS,
                    ToolErrorCode.TOOL_QUARANTINED,
                    ToolErrorCode.CANCELLED,
                    ToolErrorCode.EGRESS_DENIED,
                    ToolErrorCode.CALL_LIMIT,
                    ToolErrorCode.BUDGET_EXCEEDED,
                    ToolErrorCode.QUOTA_EXCEEDED,
                    ToolErrorCode.CAPABILITY_CYCLE,
                    ToolErrorCode.NOT_RECORDED)
            .stream()
            .map(ToolErrorCode::code)
            .collect(Collectors.toUnmodifiableSet());

    /**
     * A call that a tool answered.
     *
     * @param after the tool whose answer came last before it; empty for those that a script begins with
     */
    public record Call(String tool, Optional<String> after, boolean success, long millis) {}

    private Lesson() {}

    /** The calls of an execution, in the order in which they ended. */
    public static List<Call> of(List<Finished.Step> steps) {
        List<Call> calls = new ArrayList<>();
        Map<Long, Optional<String>> open = new HashMap<>();
        Set<Long> mocked = new HashSet<>();
        Optional<String> last = Optional.empty();
        for (Finished.Step step : steps) {
            if (step instanceof Finished.Started started) {
                open.put(started.call(), last);
            } else if (step instanceof Finished.Mocked mock) {
                mocked.add(mock.call());
            } else if (step instanceof Finished.Ended ended) {
                Optional<String> after = open.remove(ended.call());
                if (after != null && !mocked.contains(ended.call()) && teaches(ended)) {
                    calls.add(new Call(ended.tool(), after, ended.error().isEmpty(), Math.max(0, ended.millis())));
                    last = Optional.of(ended.tool());
                }
            }
        }
        return calls;
    }

    private static boolean teaches(Finished.Ended ended) {
        return !ended.replayed()
                && isTool(ended.tool())
                && ended.error().filter(UNTAUGHT::contains).isEmpty();
    }

    /** What the host itself answers is no tool, and a name that no index holds is none of anybody's. */
    private static boolean isTool(String name) {
        int dot = name.indexOf('.');
        return dot > 0
                && dot < name.length() - 1
                && !name.startsWith("$")
                && name.length() <= LONGEST_NAME
                && ToolName.parse(name).isWellFormed();
    }
}
