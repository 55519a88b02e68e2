package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sallyport.web.api.JsonMembers;

/** The modes of the tool {@code execute}: the arguments of each, and the single tool with the same effect and roles. */
enum ExecuteMode {
    /** Runs a script and waits for it. */
    EXECUTE(RunScript.class, concat(SharedArguments.RUN, SharedArguments.DETAILS, Set.of(McpExecutions.WAIT_ARGUMENT))),
    /** Like {@link #EXECUTE}, and sends the output while the script runs. */
    STREAM(RunScript.class, concat(SharedArguments.RUN, SharedArguments.DETAILS, Set.of(McpExecutions.WAIT_ARGUMENT))),
    /** Submits a script and returns its id at once. */
    ASYNC(
            SubmitScript.class,
            concat(SharedArguments.RUN, Set.of("plan", "notBefore", "delayMillis", "deadline", "concurrencyKey"))),
    /** Shows an execution. */
    STATUS(
            ExecutionStatus.class,
            concat(SharedArguments.DETAILS, Set.of("id", McpExecutions.WAIT_ARGUMENT, "outputOffset", "errorOffset"))),
    /** Cancels an execution. */
    CANCEL(CancelExecution.class, Set.of("id", "reason")),
    /** Lists executions. */
    LIST(ListExecutions.class, Set.of("states", "recent", "limit", "cursor")),
    /** Runs tests against a script. */
    TEST(
            RunTests.class,
            Set.of(
                    "code",
                    "tests",
                    "language",
                    "args",
                    "context",
                    "grants",
                    "limits",
                    "labels",
                    "intent",
                    McpExecutions.WAIT_ARGUMENT));

    static final String ARGUMENT = "mode";

    private static final int MAX_NAME_LENGTH = 20;

    /** Arguments that several modes have. */
    private static final class SharedArguments {
        static final Set<String> RUN = Set.of(
                "code",
                "cached",
                "integrity",
                "rerun",
                "language",
                "args",
                "context",
                "grants",
                "limits",
                "labels",
                "priority",
                "intent",
                "durability",
                "fixtures",
                "cacheAs",
                "cache",
                "retry",
                McpExecutions.IDEMPOTENCY_KEY_ARGUMENT);
        static final Set<String> DETAILS = Set.of(McpExecutions.INCLUDE_TRACE_ARGUMENT, "plan", "artifacts");
    }

    private final Class<? extends McpTool> tool;
    private final Set<String> members;

    ExecuteMode(Class<? extends McpTool> tool, Set<String> members) {
        this.tool = tool;
        this.members = Set.copyOf(members);
    }

    @SafeVarargs
    private static Set<String> concat(Set<String>... sets) {
        return Stream.of(sets).flatMap(Set::stream).collect(Collectors.toSet());
    }

    /** The single tool whose roles may use this mode. */
    Class<? extends McpTool> tool() {
        return tool;
    }

    private String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads the mode of a call; {@link #EXECUTE} if it is absent. Refuses arguments of other modes with a message that
     * names those modes.
     */
    static ExecuteMode read(ObjectNode arguments) {
        JsonMembers given = new JsonMembers(arguments);
        String text = given.text(ARGUMENT, MAX_NAME_LENGTH).orElse(EXECUTE.text());
        ExecuteMode mode = Arrays.stream(values())
                .filter(each -> each.text().equals(text))
                .findFirst()
                .orElseThrow(() -> given.invalidMember(ARGUMENT, "must be " + names(Arrays.stream(values()))));
        Set<String> known = new TreeSet<>(Set.of(ARGUMENT));
        Arrays.stream(values()).forEach(each -> known.addAll(each.members));
        given.rejectUnknown(known);
        arguments.fieldNames().forEachRemaining(name -> {
            if (!name.equals(ARGUMENT) && !mode.members.contains(name)) {
                throw given.invalidMember(
                        name,
                        "does not go with mode " + mode.text() + "; it goes with mode "
                                + names(Arrays.stream(values()).filter(each -> each.members.contains(name))));
            }
        });
        return mode;
    }

    private static String names(Stream<ExecuteMode> modes) {
        return modes.map(ExecuteMode::text).collect(Collectors.joining(" or "));
    }
}
