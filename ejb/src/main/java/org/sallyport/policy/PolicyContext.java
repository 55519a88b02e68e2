package org.sallyport.policy;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.sallyport.tool.ToolName;

/**
 * Context of a call that a policy evaluates.
 *
 * @param tenant tenant of the calling execution
 * @param capability the capability that the execution runs, as {@code name@version}, if any
 * @param previousCalls supplies the tools that the execution called before, in order and as the script named them; read
 *     only by rules that need it
 * @param treeCalls supplies the tools that all other executions of the same tree of nested executions called; read only
 *     by rules that need it
 * @param canonicalName maps the name that a script uses to the name that rules use
 * @param now the instant for rules with a time window
 */
public record PolicyContext(
        String tenant,
        Optional<String> capability,
        Supplier<List<ToolName>> previousCalls,
        Supplier<List<ToolName>> treeCalls,
        UnaryOperator<ToolName> canonicalName,
        Instant now) {

    /**
     * Creates the context of a script that is no capability, takes no part in nesting, and where each tool has one
     * name.
     */
    public PolicyContext(String tenant, Supplier<List<ToolName>> previousCalls, Instant now) {
        this(tenant, Optional.empty(), previousCalls, List::of, UnaryOperator.identity(), now);
    }

    /** Returns a copy for an execution that runs this capability, or none. */
    public PolicyContext withCapability(Optional<String> ref) {
        return new PolicyContext(tenant, ref, previousCalls, treeCalls, canonicalName, now);
    }

    /** Returns whether the execution runs a capability that a glob matches, by name or by name and version. */
    public boolean runsCapability(List<String> globs) {
        return capability.isPresent() && globs.stream().anyMatch(glob -> globMatchesRef(glob, capability.get()));
    }

    private static boolean globMatchesRef(String glob, String ref) {
        int at = ref.indexOf('@');
        return ToolGrants.matches(glob, ref) || at >= 0 && ToolGrants.matches(glob, ref.substring(0, at));
    }

    /** Returns a copy for an execution in a tree of nested executions. */
    public PolicyContext treeCalls(Supplier<List<ToolName>> others) {
        return new PolicyContext(tenant, capability, previousCalls, others, canonicalName, now);
    }

    /** Returns a copy where scripts may use other names of tools than rules do. */
    public PolicyContext canonicalName(UnaryOperator<ToolName> names) {
        return new PolicyContext(tenant, capability, previousCalls, treeCalls, names, now);
    }

    /**
     * Returns whether an earlier call was a call of one of {@code tools}, by the written name or by the canonical name.
     * Both are checked, so that the calls of a backend still count while the backend is temporarily unavailable.
     */
    public boolean isCallOf(ToolGrants tools, ToolName called) {
        if (tools.allows(called)) {
            return true;
        }
        ToolName other = canonicalName.apply(called);
        return !other.equals(called) && tools.allows(other);
    }
}
