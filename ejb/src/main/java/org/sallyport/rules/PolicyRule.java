package org.sallyport.rules;

import java.util.List;
import java.util.Optional;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.ToolGrants;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/**
 * One rule: holds when all of its conditions do.
 *
 * @param tools which tools it speaks of
 * @param hints what these must say of themselves
 * @param capabilityGlobs globs of what the execution runs; empty for anything, and for scripts that are no capability
 * @param argumentConditions what their arguments must be like
 * @param minPreviousCalls how many calls of these tools the execution made before
 * @param seenToolGroups tools of which, of each group one, the execution called before, or another one of the tree in which it is nested
 * @param timeWindow when
 * @param decision what it decides
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

    /** Hints that must be as they are here; null for any. */
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

    /** Whether it holds for a call of a tool that it {@linkplain #appliesTo speaks of}. */
    boolean holds(LazyArguments arguments, PolicyContext situation) {
        return (capabilityGlobs.isEmpty() || situation.runsCapability(capabilityGlobs))
                && (timeWindow.isEmpty() || timeWindow.get().contains(situation.now()))
                && (minPreviousCalls == 0 || countPreviousCalls(situation) >= minPreviousCalls)
                && (seenToolGroups.isEmpty() || hasSeenAllGroups(situation))
                && holds(arguments);
    }

    /** Without streams, as a policy may have thousands of these to ask. */
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
        // Others are asked for what it did not call itself: that may cost a query.
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
