package org.sallyport.submission;

import java.util.List;
import java.util.Optional;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityDefinition;
import org.sallyport.capability.CapabilityGrants;
import org.sallyport.capability.CapabilityResolver;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.CacheOptions;
import org.sallyport.execution.CapabilityBinding;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ParentExecution;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.execution.StoredSubmission;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.tool.HopCount;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tracecontext.TraceContext;

/**
 * Makes an execution of a script's call of a capability. The nested execution belongs to the submitter of the calling
 * execution, and has at most the limits and grants of the calling execution. Waits for the store. Thread-safe.
 */
public final class NestedExecutionFactory {
    private final CapabilityResolver capabilityResolver;
    private final JsonSchemaValidator schemas;
    private final NestedExecutionStore nested;
    private final ExecutionStore store;
    private final ExecutionIdGenerator ids;
    private final TierSelector tiers;
    private final CapabilityPreparer preparer;
    private final LimitResolver limits;
    private final int maxDepth;
    private final int maxNested;

    /** Outcome of {@link #create}. */
    sealed interface NestedExecutionResult {
        /** The execution to store. */
        record NestedChild(NewExecution execution, ParentExecution nesting) implements NestedExecutionResult {}

        /** The call is refused. */
        record NestingRefused(ToolError error) implements NestedExecutionResult {}
    }

    public NestedExecutionFactory(
            Configuration configuration,
            CapabilityResolver published,
            JsonSchemaValidator schemas,
            NestedExecutionStore nested,
            ExecutionStore store,
            ExecutionIdGenerator ids,
            TierSelector tiers,
            CapabilityPreparer preparer) {
        this.preparer = preparer;
        this.capabilityResolver = published;
        this.schemas = schemas;
        this.nested = nested;
        this.store = store;
        this.ids = ids;
        this.tiers = tiers;
        this.limits = new LimitResolver(configuration);
        this.maxDepth = configuration.getInt(LimitSettings.MAX_NESTED_DEPTH);
        this.maxNested = configuration.getInt(LimitSettings.MAX_NESTED_EXECUTIONS);
    }

    /** Returns how many executions may be nested below one root. */
    int maxNested() {
        return maxNested;
    }

    NestedExecutionResult create(ToolCall call) {
        String name = call.tool().tool();
        ExecutionId parent = ExecutionId.parse(call.id().execution()).orElseThrow();
        ParentExecution nesting = nested.parentFor(parent, call.id().ordinal());
        if (nesting.depth() > maxDepth) {
            return refused(
                    ToolErrorCode.CALL_LIMIT,
                    "capabilities may be nested " + maxDepth
                            + " deep (setting sallyport.limits.max-nesting-depth); this one is called by "
                            + (nesting.capabilityPath().isEmpty()
                                    ? "scripts"
                                    : String.join(" > ", nesting.capabilityPath())));
        } else if (nesting.capabilityPath().contains(name)) {
            return refused(
                    ToolErrorCode.CAPABILITY_CYCLE,
                    "'" + name + "' already runs in this chain of calls: "
                            + String.join(" > ", nesting.capabilityPath()) + " > " + name);
        }
        Optional<Capability> found = capabilityResolver.find(call.tenant(), name, CapabilityVersionSummary.STABLE);
        if (found.isEmpty()) {
            return refused(
                    ToolErrorCode.TOOL_NOT_FOUND,
                    "no capability '" + name + "' has a published version that is not deprecated");
        } else if (!found.get().isIntact()) {
            return refused(
                    ToolErrorCode.TOOL_FAILED,
                    "the stored version of " + found.get().ref() + " differs from the published one");
        }
        return findArgumentFault(found.get().definition(), call)
                .<NestedExecutionResult>map(
                        violation -> new NestedExecutionResult.NestingRefused(violation.toToolError(name)))
                .or(() -> store.findSubmission(call.tenant(), parent)
                        .map(caller -> child(found.get(), call, caller, nesting)))
                .orElseGet(() -> refused(ToolErrorCode.CANCELLED, "the calling execution no longer exists"));
    }

    private static NestedExecutionResult refused(ToolErrorCode code, String message) {
        return new NestedExecutionResult.NestingRefused(new ToolError(code, message));
    }

    /** Check again: the version may differ from the one against which the call was authorized. */
    private Optional<JsonSchemaValidator.SchemaViolation> findArgumentFault(
            CapabilityDefinition content, ToolCall call) {
        return content.inputSchema().flatMap(schema -> schemas.validate(schema, call.arguments()));
    }

    private NestedExecutionResult child(
            Capability capability, ToolCall call, StoredSubmission caller, ParentExecution nesting) {
        CapabilityPreparation prepared = preparer.prepare(call.tenant(), capability);
        if (prepared instanceof CapabilityPreparation.CapabilityUnprepared unprepared) {
            return refused(
                    unpreparedCode(unprepared.reason()),
                    "'" + capability.ref() + "' cannot run: " + RejectionMessages.describe(unprepared.reason()));
        }
        return new NestedExecutionResult.NestedChild(
                child(capability, call, caller, ((CapabilityPreparation.CapabilityPrepared) prepared).variables()),
                nesting);
    }

    private static ToolErrorCode unpreparedCode(SubmissionResult reason) {
        if (reason instanceof SubmissionResult.ToolsMissing) {
            return ToolErrorCode.TOOLS_MISSING;
        } else if (reason instanceof SubmissionResult.VariablesTooLarge) {
            return ToolErrorCode.TOO_LARGE;
        }
        return reason instanceof SubmissionResult.SandboxNotAllowed
                ? ToolErrorCode.SANDBOX_NOT_ALLOWED
                : ToolErrorCode.VARIABLES_NOT_SET;
    }

    private NewExecution child(
            Capability capability, ToolCall call, StoredSubmission caller, Optional<PinnedVariables> pinned) {
        CapabilityDefinition content = capability.definition();
        List<String> grants = CapabilityGrants.intersect(content.tools(), caller.grants());
        Script script = new Script(
                content.code(), SourceLanguage.valueOf(content.language().name()));
        return new NewExecution(
                ids.next(),
                call.tenant(),
                caller.submitter(),
                content.code(),
                content.language(),
                tiers.select(script, grants),
                call.arguments(),
                caller.context(),
                limits.resolve(limits.inherit(caller.limits(), RequestedLimits.NONE)),
                grants,
                HopCount.inheritedLabels(caller.summary().labels()),
                caller.summary().priority(),
                DebugMode.NONE,
                caller.durability(),
                caller.intent(),
                Optional.empty(),
                Optional.empty(),
                EffectMode.REAL,
                Optional.of(new CapabilityBinding(capability.ref(), content.outputSchema(), content.sandbox())),
                Optional.empty(),
                call.trace().flatMap(headers -> TraceContext.of(headers.traceparent(), headers.tracestate())),
                CacheOptions.NONE,
                AdmissionConstraints.NONE,
                pinned);
    }
}
