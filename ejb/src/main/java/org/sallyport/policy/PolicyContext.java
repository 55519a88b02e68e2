package org.sallyport.policy;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.sallyport.tool.ToolName;

/**
 * In what a call is made.
 *
 * @param tenant whose execution calls
 * @param capability which one it runs, as {@code name@version}, if it runs one
 * @param previousCalls gives the tools that it called before, in order and as it wrote them; asked only by rules that need it
 * @param treeCalls gives the tools that all others have called of the tree of nested executions in which it stands; asked only by rules that need it
 * @param canonicalName gives the name by which rules speak of what a script calls so
 * @param now the time by which rules that have hours are judged
 */
public record PolicyContext(
        String tenant,
        Optional<String> capability,
        Supplier<List<ToolName>> previousCalls,
        Supplier<List<ToolName>> treeCalls,
        UnaryOperator<ToolName> canonicalName,
        Instant now) {

    /** Of a script that is no capability, is nested in none and has none in it, where each tool has one name. */
    public PolicyContext(String tenant, Supplier<List<ToolName>> previousCalls, Instant now) {
        this(tenant, Optional.empty(), previousCalls, List::of, UnaryOperator.identity(), now);
    }

    /** The same, of an execution that runs a capability, or of one that runs none. */
    public PolicyContext withCapability(Optional<String> ref) {
        return new PolicyContext(tenant, ref, previousCalls, treeCalls, canonicalName, now);
    }

    /** Whether it runs a capability that a glob names: by its name, or by name and version. */
    public boolean runsCapability(List<String> globs) {
        return capability.isPresent() && globs.stream().anyMatch(glob -> globMatchesRef(glob, capability.get()));
    }

    private static boolean globMatchesRef(String glob, String ref) {
        int at = ref.indexOf('@');
        return ToolGrants.matches(glob, ref) || at >= 0 && ToolGrants.matches(glob, ref.substring(0, at));
    }

    /** The same, of an execution that is nested in others or has others in it. */
    public PolicyContext treeCalls(Supplier<List<ToolName>> others) {
        return new PolicyContext(tenant, capability, previousCalls, others, canonicalName, now);
    }

    /** The same, where tools may be called by other names than those that rules have for them. */
    public PolicyContext canonicalName(UnaryOperator<ToolName> names) {
        return new PolicyContext(tenant, capability, previousCalls, treeCalls, names, now);
    }

    /**
     * Whether a call that was made is a call of one of {@code tools}: by the name that was written, and by the one that rules have for it. By both, since
     * a backend that is away for a moment must not take what was called of it out of the account.
     */
    public boolean isCallOf(ToolGrants tools, ToolName called) {
        if (tools.allows(called)) {
            return true;
        }
        ToolName other = canonicalName.apply(called);
        return !other.equals(called) && tools.allows(other);
    }
}
