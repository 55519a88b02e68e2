package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.auth.Caller;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.journal.DryRunPlan;
import org.sallyport.runner.TraceRedactor;
import org.sallyport.secrets.SecretVault;
import org.sallyport.submission.PlanService;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Reads what belongs to an execution and is not part of it, for REST and MCP. Throws
 * {@link org.sallyport.web.ProblemException} (not found) if the tenant has no such execution. Thread-safe.
 */
@ApplicationScoped
public class ExecutionDetails {
    @Inject
    ExecutionStore store;

    @Inject
    PlanService plans;

    @Inject
    ArtifactStore artifacts;

    @Inject
    SecretVault vault;

    /** The plan of a dry run, in the form of {@code GET /plans/{id}}. */
    public ObjectNode plan(Caller caller, ExecutionId id) {
        return planIfNotTooLarge(caller, id)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.PAYLOAD_TOO_LARGE,
                        "the plan of " + id + " has more than " + PlanService.MAX_PLAN_BYTES
                                + " bytes; read the trace of the dry run in pages"));
    }

    /** Like {@link #plan}; empty if the plan is too large to be shown. */
    public Optional<ObjectNode> planIfNotTooLarge(Caller caller, ExecutionId id) {
        PlanService.PlanSnapshot listed =
                plans.find(caller.tenant(), id).orElseThrow(() -> RequestContexts.executionNotFound(id.toString()));
        TraceRedactor shown = new TraceRedactor(vault.redactorFor(caller.tenant()));
        return listed.plan().map(plan -> toJson(listed, plan, shown));
    }

    private static ObjectNode toJson(PlanService.PlanSnapshot listed, DryRunPlan plan, TraceRedactor shown) {
        ObjectNode json = ExecutionMapper.object();
        json.put("id", listed.dryRun().toString());
        json.put("state", listed.state().name());
        json.put("approvable", listed.complete());
        var steps = json.putArray("effects");
        for (DryRunPlan.PlanStep step : plan.steps()) {
            ObjectNode each = steps.addObject();
            each.put("call", step.call());
            each.put("tool", step.effect().tool().toString());
            each.set("args", ExecutionMapper.raw(shown.redact(step.effect().arguments())));
            each.put("rule", step.rule());
            each.put("asks", step.needsApproval());
            step.result().ifPresent(answer -> each.set("answer", ExecutionMapper.raw(shown.redact(answer))));
        }
        return json;
    }

    /** The list of the artifacts of an execution, in the form of {@code GET /executions/{id}/artifacts}. */
    public ObjectNode artifacts(Caller caller, ExecutionId id) {
        requireExecution(caller, id);
        return ExecutionMapper.list(
                artifacts.list(id).stream()
                        .map(artifact -> ExecutionMapper.artifact(id, artifact))
                        .toList(),
                Optional.empty());
    }

    void requireExecution(Caller caller, ExecutionId id) {
        if (store.find(caller.tenant(), id).isEmpty()) {
            throw RequestContexts.executionNotFound(id.toString());
        }
    }
}
