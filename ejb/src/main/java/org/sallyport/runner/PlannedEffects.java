package org.sallyport.runner;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Claim;
import org.sallyport.execution.Effects;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.Journal;
import org.sallyport.journal.Plan;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** Holds a run to the plan that was approved, if there is one. Thread-safe. */
final class PlannedEffects {
    private final @Nullable ExecutionId dryRun;
    private final Journal journal;
    private final Consumer<String> outside;
    private final Map<Plan.Effect, Integer> made = new HashMap<>();
    /** How often the same was done before a call, by the ordinals of calls. */
    private final Map<Long, Integer> before = new ConcurrentHashMap<>();

    private volatile @Nullable Map<Plan.Effect, Integer> allowed;

    /** @param outside is told of what the plan does not hold */
    PlannedEffects(Claim claim, Journal journal, Consumer<String> outside) {
        this.dryRun = claim.effects() instanceof Effects.Planned planned ? planned.plan() : null;
        this.journal = journal;
        this.outside = outside;
    }

    /** Whether there is a plan. */
    boolean any() {
        return dryRun != null;
    }

    /** The script makes a call; told of all, in order, also when an earlier run made it. */
    void made(long call, ToolName tool, Json arguments) {
        if (any()) {
            before.put(call, made.merge(new Plan.Effect(tool, arguments), 1, Integer::sum) - 1);
        }
    }

    /** Whether a call may have its effect; if not, the run is stopped. Waits for the store, and throws its exception. */
    boolean allows(OutgoingCall call) {
        Plan.Effect effect = new Plan.Effect(call.tool(), call.arguments());
        int allowedTimes = plan().getOrDefault(effect, 0);
        int times = before.getOrDefault(call.ordinal(), 0);
        if (times < allowedTimes) {
            return true;
        }
        outside.accept("call " + call.ordinal() + " of '" + call.tool() + "' is not in the approved plan"
                + (allowedTimes == 0 ? "" : " once more: it holds it " + allowedTimes + " times")
                + "; it was not made");
        return false;
    }

    private Map<Plan.Effect, Integer> plan() {
        Map<Plan.Effect, Integer> known = allowed;
        if (known == null) {
            known = dryRun == null ? Map.of() : Plan.of(journal, dryRun).counts();
            allowed = known;
        }
        return known;
    }
}
