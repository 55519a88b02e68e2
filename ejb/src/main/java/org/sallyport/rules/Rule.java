package org.sallyport.rules;

import java.util.List;
import java.util.Optional;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Grants;
import org.sallyport.policy.Situation;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/**
 * One rule: holds when all of its conditions do.
 *
 * @param tools which tools it speaks of
 * @param hints what these must say of themselves
 * @param capability globs of what the execution runs; empty for anything, and for scripts that are no capability
 * @param when what their arguments must be like
 * @param after how many calls of these tools the execution made before
 * @param seen tools of which, of each group one, the execution called before, or another one of the tree in which it is nested
 * @param hours when
 * @param then what it decides
 */
record Rule(
        Grants tools,
        HintTest hints,
        List<String> capability,
        List<ArgumentTest> when,
        int after,
        List<Grants> seen,
        Optional<Hours> hours,
        Decision then) {
    Rule {
        capability = List.copyOf(capability);
        when = List.copyOf(when);
        seen = List.copyOf(seen);
    }

    /** Hints that must be as they are here; null for any. */
    record HintTest(
            @org.jspecify.annotations.Nullable Boolean readOnly,
            @org.jspecify.annotations.Nullable Boolean idempotent,
            @org.jspecify.annotations.Nullable Boolean destructive) {
        static final HintTest ANY = new HintTest(null, null, null);

        boolean holds(ToolHints hints) {
            return (readOnly == null || readOnly == hints.readOnly())
                    && (idempotent == null || idempotent == hints.idempotent())
                    && (destructive == null || destructive == hints.destructive());
        }
    }

    boolean speaksOf(ToolSpec tool) {
        return tools.allows(tool.name()) && hints.holds(tool.hints());
    }

    /** Whether it holds for a call of a tool that it {@linkplain #speaksOf speaks of}. */
    boolean holds(Reading arguments, Situation situation) {
        return (capability.isEmpty() || situation.runsOneOf(capability))
                && (hours.isEmpty() || hours.get().contain(situation.now()))
                && (after == 0 || calls(situation) >= after)
                && (seen.isEmpty() || seen(situation))
                && holds(arguments);
    }

    /** Without streams, as a policy may have thousands of these to ask. */
    private boolean holds(Reading arguments) {
        for (int i = 0; i < when.size(); i++) {
            if (!when.get(i).holds(arguments)) {
                return false;
            }
        }
        return true;
    }

    private boolean seen(Situation situation) {
        List<Grants> missing = missing(seen, situation.before().get(), situation);
        // Others are asked for what it did not call itself: that may cost a query.
        return missing.isEmpty()
                || missing(missing, situation.around().get(), situation).isEmpty();
    }

    private static List<Grants> missing(List<Grants> groups, List<ToolName> calls, Situation situation) {
        return groups.stream()
                .filter(group -> calls.stream().noneMatch(called -> situation.isOf(group, called)))
                .toList();
    }

    private long calls(Situation situation) {
        return situation.before().get().stream()
                .filter(called -> situation.isOf(tools, called))
                .count();
    }
}
