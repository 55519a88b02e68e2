package org.sallyport.runner;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.DryRunPlan;
import org.sallyport.journal.Journal;
import org.sallyport.script.ScriptHash;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * Restricts a run to its approved plan, if there is one. Holds hashes of the arguments in place of the arguments.
 * Thread-safe.
 */
final class PlanGuard {
    private final @Nullable ExecutionId dryRun;
    private final Journal journal;
    private final Consumer<String> onViolation;
    private final Map<EffectKey, Integer> callCounts = new HashMap<>();
    /** How often the same effect was requested before a call, by call ordinal. */
    private final Map<Long, Integer> countsBefore = new ConcurrentHashMap<>();

    private volatile @Nullable Map<EffectKey, Integer> allowedCounts;

    /** Equal for equal effects only. */
    private record EffectKey(ToolName tool, String argumentsHash) {
        static EffectKey of(ToolName tool, Json arguments) {
            try {
                byte[] hash = MessageDigest.getInstance("SHA-256").digest(ScriptHash.utf16Bytes(arguments.text()));
                return new EffectKey(tool, HexFormat.of().formatHex(hash));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-256", e);
            }
        }
    }

    /** @param outside receives a description of a call that is not in the plan */
    PlanGuard(ClaimedExecution claim, Journal journal, Consumer<String> outside) {
        this.dryRun = claim.effects() instanceof EffectMode.ApprovedPlan planned ? planned.plan() : null;
        this.journal = journal;
        this.onViolation = outside;
    }

    boolean hasPlan() {
        return dryRun != null;
    }

    /**
     * Records a call of the script. The caller reports every call, in order, including calls that an earlier run made.
     */
    void recordCall(long call, ToolName tool, Json arguments) {
        if (hasPlan()) {
            countsBefore.put(call, callCounts.merge(EffectKey.of(tool, arguments), 1, Integer::sum) - 1);
        }
    }

    /**
     * Returns whether a call may have its effect; if not, the run is stopped. Waits for the store.
     *
     * @throws org.sallyport.execution.StoreUnavailableException if the store is unavailable
     */
    boolean allows(PendingCall call) {
        int allowedTimes = allowedCounts().getOrDefault(EffectKey.of(call.tool(), call.arguments()), 0);
        int times = countsBefore.getOrDefault(call.ordinal(), 0);
        if (times < allowedTimes) {
            return true;
        }
        onViolation.accept("call " + call.ordinal() + " of '" + call.tool() + "' is not in the approved plan"
                + (allowedTimes == 0 ? "" : ", which allows this call only " + allowedTimes + " times")
                + "; it was not made");
        return false;
    }

    private Map<EffectKey, Integer> allowedCounts() {
        Map<EffectKey, Integer> known = allowedCounts;
        if (known == null) {
            known = dryRun == null ? Map.of() : countEffects(dryRun);
            allowedCounts = known;
        }
        return known;
    }

    private Map<EffectKey, Integer> countEffects(ExecutionId plan) {
        Map<EffectKey, Integer> counts = new HashMap<>();
        DryRunPlan.forEachEffect(
                journal,
                plan,
                effect -> counts.merge(EffectKey.of(effect.tool(), effect.arguments()), 1, Integer::sum));
        return counts;
    }
}
