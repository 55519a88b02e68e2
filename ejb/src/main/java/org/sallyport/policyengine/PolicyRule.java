package org.sallyport.policyengine;

import java.util.List;
import java.util.Optional;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.ToolGrants;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/**
 * A rule, which holds when all of its conditions hold.
 *
 * @param tools tools that the rule applies to
 * @param hints required hints of the tools
 * @param capabilityGlobs globs of the capability that the execution runs; empty for any execution, including scripts
 *     that are no capability
 * @param argumentConditions conditions on the arguments
 * @param minPreviousCalls minimum number of earlier calls of these tools by the execution
 * @param seenToolGroups groups of tools; the execution, or another one of its tree of nested executions, must have
 *     called one tool of each group before
 * @param timeWindow time window in which the rule holds
 * @param decision decision of the rule
 */
record PolicyRule(
        ToolGrants tools,
        HintCondition hints,
        List<String> capabilityGlobs,
        List<ArgumentCondition> argumentConditions,
        int minPreviousCalls,
        List<ToolGrants> seenToolGroups,
        Optional<TimeWindow> timeWindow,
        PolicyDecision decision) {
    PolicyRule {
        capabilityGlobs = List.copyOf(capabilityGlobs);
        argumentConditions = List.copyOf(argumentConditions);
        seenToolGroups = List.copyOf(seenToolGroups);
    }

    /** Required values of tool hints; null for any. */
    record HintCondition(
            @org.jspecify.annotations.Nullable Boolean readOnly,
            @org.jspecify.annotations.Nullable Boolean idempotent,
            @org.jspecify.annotations.Nullable Boolean destructive) {
        static final HintCondition ANY = new HintCondition(null, null, null);

        boolean holds(ToolHints hints) {
            return (readOnly == null || readOnly == hints.readOnly())
                    && (idempotent == null || idempotent == hints.idempotent())
                    && (destructive == null || destructive == hints.destructive());
        }
    }

    boolean appliesTo(ToolSpec tool) {
        return tools.allows(tool.name()) && hints.holds(tool.hints());
    }

    /** Returns whether the rule holds for a call of a tool that it {@linkplain #appliesTo applies to}. */
    boolean holds(LazyArguments arguments, PolicyContext situation) {
        return (capabilityGlobs.isEmpty() || situation.runsCapability(capabilityGlobs))
                && (timeWindow.isEmpty() || timeWindow.get().contains(situation.now()))
                && (minPreviousCalls == 0 || countPreviousCalls(situation) >= minPreviousCalls)
                && (seenToolGroups.isEmpty() || hasSeenAllGroups(situation))
                && holds(arguments);
    }

    /** Without streams, because a policy may have thousands of conditions. */
    private boolean holds(LazyArguments arguments) {
        for (int i = 0; i < argumentConditions.size(); i++) {
            if (!argumentConditions.get(i).holds(arguments)) {
                return false;
            }
        }
        return true;
    }

    private boolean hasSeenAllGroups(PolicyContext situation) {
        List<ToolGrants> missing =
                missingGroups(seenToolGroups, situation.previousCalls().get(), situation);
        // Reads the calls of the other executions only for groups that this execution did not call, because it may cost
        // a query.
        return missing.isEmpty()
                || missingGroups(missing, situation.treeCalls().get(), situation)
                        .isEmpty();
    }

    private static List<ToolGrants> missingGroups(
            List<ToolGrants> groups, List<ToolName> calls, PolicyContext situation) {
        return groups.stream()
                .filter(group -> calls.stream().noneMatch(called -> situation.isCallOf(group, called)))
                .toList();
    }

    private long countPreviousCalls(PolicyContext situation) {
        return situation.previousCalls().get().stream()
                .filter(called -> situation.isCallOf(tools, called))
                .count();
    }
}
