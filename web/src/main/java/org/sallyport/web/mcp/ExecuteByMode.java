package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.api.ExecutionDetails;
import org.sallyport.web.api.ExecutionFacade;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.api.RunFacade;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.security.RoleFilter;
import org.sallyport.web.security.RolesAllowed;

/**
 * MCP tool with the modes that agents need most, in one tool. Each mode does what a single tool does, for the roles of
 * that tool. It also takes a saved script or an earlier execution instead of code, and adds plan and artifacts.
 */
@Dependent
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ExecuteByMode implements McpTool {
    private static final String RERUN = "rerun";
    private static final String PLAN = "plan";
    private static final String ARTIFACTS = "artifacts";
    /** Members of a run that say what runs. One is required. */
    private static final List<String> SOURCES = List.of("code", "cached", RERUN);
    /** Characters of a plan in one answer. */
    private static final int MAX_PLAN_CHARS = 50_000;

    private final ExecutionFacade executions;
    private final RunFacade runs;
    private final ExecutionDetails details;
    private final McpExecutions running;
    private final AuditRecorder auditRecorder;
    private final Map<ExecuteMode, McpTool> tools = new EnumMap<>(ExecuteMode.class);

    @Inject
    public ExecuteByMode(
            ExecutionFacade executions,
            RunFacade runs,
            ExecutionDetails details,
            McpExecutions running,
            AuditRecorder auditRecorder,
            @Any Instance<McpTool> tools) {
        this.executions = executions;
        this.runs = runs;
        this.details = details;
        this.running = running;
        this.auditRecorder = auditRecorder;
        for (ExecuteMode mode : List.of(ExecuteMode.STATUS, ExecuteMode.CANCEL, ExecuteMode.LIST, ExecuteMode.TEST)) {
            this.tools.put(mode, tools.select(mode.tool()).get());
        }
    }

    @Override
    public String name() {
        return "execute";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        ObjectNode arguments = dialog.takeArguments();
        ExecuteMode mode = ExecuteMode.read(arguments);
        Set<Role> allowed = RoleFilter.allowedRoles(mode.tool());
        if (!RoleFilter.hasAnyRole(dialog.caller(), allowed)) {
            throw new ProblemException(ProblemType.FORBIDDEN, RoleFilter.missingRoleDetail(allowed));
        }
        arguments.remove(ExecuteMode.ARGUMENT);
        return switch (mode) {
            case EXECUTE -> run(dialog.delegate(arguments, false));
            case STREAM -> {
                if (!dialog.hasProgressToken()) {
                    throw new JsonMembers(arguments)
                            .invalidMember(
                                    ExecuteMode.ARGUMENT,
                                    "stream needs a progressToken in the request, for the notifications with the"
                                            + " output; use execute, which returns the output at the end");
                }
                yield run(dialog.delegate(arguments, true));
            }
            case ASYNC -> submit(dialog.delegate(arguments, false));
            case STATUS -> status(dialog, arguments);
            case CANCEL, LIST, TEST -> singleTool(mode).call(dialog.delegate(arguments, true));
        };
    }

    private McpTool singleTool(ExecuteMode mode) {
        return Objects.requireNonNull(tools.get(mode), mode.name());
    }

    private CompletionStage<ToolOutcome> run(ToolCallContext context) {
        DetailOptions shown = DetailOptions.remove(context.arguments());
        return running.run(context, McpExecutions.withTraceOption(submitter(context, shown.plan())), id -> {
            ToolOutcome outcome = running.outcome(context, id);
            addDetails(context, id, shown, outcome.content());
            return outcome;
        });
    }

    private CompletionStage<ToolOutcome> submit(ToolCallContext context) {
        DetailOptions shown = DetailOptions.remove(context.arguments());
        return running.submit(context, submitter(context, shown.plan()))
                .thenApply(id -> McpExecutions.outcomeOrIdOnly(
                        id,
                        () -> new ToolOutcome(
                                ExecutionView.execution(
                                        executions.show(context.caller(), id, 0, 0, ExecutionView.READ_OUTPUT_CHARS)),
                                false)));
    }

    private CompletionStage<ToolOutcome> status(ToolCallContext dialog, ObjectNode arguments) {
        DetailOptions shown = DetailOptions.remove(arguments);
        ExecutionId id = ExecutionStatus.id(new JsonMembers(arguments));
        return singleTool(ExecuteMode.STATUS)
                .call(dialog.delegate(arguments, true))
                .thenApply(outcome -> {
                    addDetails(dialog, id, shown, outcome.content());
                    return outcome;
                });
    }

    /** Submits what the arguments say to run: code, a saved script, or an earlier execution again. */
    private McpExecutions.ExecutionSubmitter submitter(ToolCallContext context, boolean dryRun) {
        ObjectNode arguments = context.arguments();
        List<String> sources =
                SOURCES.stream().filter(name -> arguments.hasNonNull(name)).toList();
        // A re-run takes other code, which replaces that of the execution.
        if (sources.size() > 1 && !sources.equals(List.of("code", RERUN))) {
            throw new JsonMembers(arguments)
                    .invalidMember(sources.get(1), "does not go with '" + sources.get(0) + "': both say what to run");
        } else if (sources.isEmpty()) {
            throw new JsonMembers(arguments)
                    .invalidMember(
                            "code",
                            "is missing: the script to run; or name a saved script in 'cached', or an"
                                    + " execution in 'rerun'");
        }
        return (caller, body, key) -> {
            if (dryRun) {
                body.put("dryRun", true);
            }
            if (sources.contains(RERUN)) {
                return rerun(context, body, key);
            }
            return sources.contains("cached")
                    ? runs.runSavedScript(caller, body, key)
                    : executions.submit(caller, body, key);
        };
    }

    private CompletionStage<ExecutionId> rerun(ToolCallContext context, ObjectNode body, Optional<String> key) {
        if (!(body.remove(RERUN) instanceof ObjectNode rerun)) {
            throw new JsonMembers(body).invalidMember(RERUN, "must be an object with 'id'");
        }
        JsonMembers named = new JsonMembers(rerun);
        named.rejectUnknown(Set.of("id", "mode", "from"));
        ExecutionId original = ExecutionStatus.id(named);
        rerun.remove("id");
        body.setAll(rerun);
        return auditRecorder.auditMcpRequest(
                context.caller(),
                context.address(),
                "execution.rerun",
                original.toString(),
                () -> runs.rerun(context.caller(), original, body, key));
    }

    private void addDetails(ToolCallContext context, ExecutionId id, DetailOptions shown, ObjectNode content) {
        if (shown.plan() && !content.path("dryRun").asBoolean()) {
            throw new JsonMembers(content).invalidMember(PLAN, "is only for dry runs; execution " + id + " is none");
        } else if (shown.plan()) {
            details.planIfNotTooLarge(context.caller(), id)
                    .filter(plan -> plan.toString().length() <= MAX_PLAN_CHARS)
                    .ifPresentOrElse(
                            plan -> content.set(PLAN, plan.retain("approvable", "effects")),
                            () -> content.put(
                                    "planOmitted",
                                    "the plan is too long for an answer; GET /api/v1/plans/" + id + " has it"));
        }
        if (shown.artifacts()) {
            content.set(ARTIFACTS, details.artifacts(context.caller(), id).path("items"));
        }
    }

    /**
     * What the answer contains besides the execution.
     *
     * @param plan whether it has the plan of a dry run
     * @param artifacts whether it has the names and addresses of the artifacts
     */
    private record DetailOptions(boolean plan, boolean artifacts) {
        static DetailOptions remove(ObjectNode arguments) {
            JsonMembers given = new JsonMembers(arguments);
            DetailOptions options = new DetailOptions(
                    given.flag(PLAN).orElse(false), given.flag(ARTIFACTS).orElse(false));
            arguments.remove(List.of(PLAN, ARTIFACTS));
            return options;
        }
    }
}
