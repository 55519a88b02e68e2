package org.sallyport.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
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
 * @param when what their arguments must be like
 * @param after how many calls of these tools the execution made before
 * @param seen tools of which, of each group one, the execution called before
 * @param hours when
 * @param then what it decides
 */
record Rule(
        Grants tools,
        HintTest hints,
        List<ArgumentTest> when,
        int after,
        List<Grants> seen,
        Optional<Hours> hours,
        Decision then) {
    Rule {
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
    boolean holds(Supplier<JsonNode> arguments, Situation situation) {
        return (hours.isEmpty() || hours.get().contain(situation.now()))
                && (after == 0 || calls(situation.before().get()) >= after)
                && seen.stream()
                        .allMatch(group -> situation.before().get().stream().anyMatch(group::allows))
                && (when.isEmpty() || when.stream().allMatch(test -> test.holds(arguments.get())));
    }

    private long calls(List<ToolName> before) {
        return before.stream().filter(tools::allows).count();
    }
}
