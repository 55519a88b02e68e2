package org.sallyport.submission;

import java.util.List;
import java.util.Optional;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityContent;
import org.sallyport.capability.NeededTools;
import org.sallyport.capability.Published;
import org.sallyport.capability.SchemaCheck;
import org.sallyport.capability.VersionSummary;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.CapabilityUse;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Effects;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIds;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.Nesting;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Submitted;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Script;
import org.sallyport.tool.Hops;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tracecontext.TraceContext;

/**
 * Makes an execution of a script's call of a capability: in the name of whoever submitted the caller, with no more than the caller
 * may use and call. Waits for the store. Thread-safe.
 */
public final class NestedSubmission {
    private final Published published;
    private final SchemaCheck schemas;
    private final NestedRunStore nested;
    private final ExecutionStore store;
    private final ExecutionIds ids;
    private final Tiers tiers;
    private final LimitPolicy limits;
    private final int depth;
    private final int most;

    /** What came of a call. */
    sealed interface Made {
        /** What is to be stored. */
        record Child(NewExecution execution, Nesting nesting) implements Made {}

        /** Why nothing is. */
        record Refused(ToolError why) implements Made {}
    }

    public NestedSubmission(
            Configuration configuration,
            Published published,
            SchemaCheck schemas,
            NestedRunStore nested,
            ExecutionStore store,
            ExecutionIds ids,
            Tiers tiers) {
        this.published = published;
        this.schemas = schemas;
        this.nested = nested;
        this.store = store;
        this.ids = ids;
        this.tiers = tiers;
        this.limits = new LimitPolicy(configuration);
        this.depth = configuration.integer(LimitSettings.NESTED_DEPTH);
        this.most = configuration.integer(LimitSettings.NESTED);
    }

    /** Executions that may be nested below one root. */
    int most() {
        return most;
    }

    Made of(ToolCall call) {
        String name = call.tool().tool();
        ExecutionId parent = ExecutionId.parse(call.id().execution()).orElseThrow();
        Nesting nesting = nested.below(parent, call.id().ordinal());
        if (nesting.depth() > depth) {
            return refused(
                    ToolErrorCode.CALL_LIMIT,
                    "capabilities may run " + depth
                            + " deep (setting sallyport.limits.nested-depth); this one is below "
                            + (nesting.path().isEmpty() ? "scripts" : String.join(" > ", nesting.path())));
        } else if (nesting.path().contains(name)) {
            return refused(
                    ToolErrorCode.CAPABILITY_CYCLE,
                    "'" + name + "' runs above already: " + String.join(" > ", nesting.path()) + " > " + name);
        }
        Optional<Capability> found = published.find(call.tenant(), name, VersionSummary.STABLE);
        if (found.isEmpty()) {
            return refused(
                    ToolErrorCode.TOOL_NOT_FOUND, "no capability '" + name + "' is published that is not deprecated");
        } else if (!found.get().isWhole()) {
            return refused(
                    ToolErrorCode.TOOL_FAILED,
                    "what is stored of " + found.get().ref() + " is not what was published");
        }
        return fault(found.get().content(), call)
                .<Made>map(fault -> new Made.Refused(fault.refusal(name)))
                .or(() -> store.submitted(call.tenant(), parent)
                        .map(caller -> new Made.Child(child(found.get(), call, caller), nesting)))
                .orElseGet(() -> refused(ToolErrorCode.CANCELLED, "the calling execution is gone"));
    }

    private static Made refused(ToolErrorCode code, String message) {
        return new Made.Refused(new ToolError(code, message));
    }

    /** The version may be another than the one by which the call was let through. */
    private Optional<SchemaCheck.Fault> fault(CapabilityContent content, ToolCall call) {
        return content.inputSchema().flatMap(schema -> schemas.fault(schema, call.arguments()));
    }

    private NewExecution child(Capability capability, ToolCall call, Submitted caller) {
        CapabilityContent content = capability.content();
        List<String> grants = NeededTools.within(content.tools(), caller.grants());
        Script script =
                new Script(content.code(), Language.valueOf(content.language().name()));
        return new NewExecution(
                ids.next(),
                call.tenant(),
                caller.submitter(),
                content.code(),
                content.language(),
                tiers.of(script, grants),
                call.arguments(),
                caller.context(),
                limits.resolve(limits.of(caller.limits(), RequestedLimits.NONE)),
                grants,
                Hops.inherited(caller.summary().labels()),
                caller.summary().priority(),
                DebugMode.NONE,
                caller.durability(),
                caller.intent(),
                Optional.empty(),
                Optional.empty(),
                Effects.REAL,
                Optional.of(new CapabilityUse(capability.ref(), content.outputSchema())),
                Optional.empty(),
                call.trace().flatMap(headers -> TraceContext.of(headers.traceparent(), headers.tracestate())));
    }
}
