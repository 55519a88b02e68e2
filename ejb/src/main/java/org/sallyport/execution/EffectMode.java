package org.sallyport.execution;

import org.sallyport.tool.Json;

/** What becomes of the calls of a script that may change something. */
public sealed interface EffectMode {
    /** They are made. */
    EffectMode REAL = new RealEffects();

    /** They are made. */
    record RealEffects() implements EffectMode {}

    /**
     * They are listed and not made: their answers are made up.
     *
     * @param fixtures an object with the answers of tools, by their names
     */
    record DryRun(Json fixtures) implements EffectMode {}

    /**
     * Those are made that a dry run listed, each as often as it did; at any other the script is stopped.
     *
     * @param plan the dry run
     * @param approver id of the key that approved it
     */
    record ApprovedPlan(ExecutionId plan, String approver) implements EffectMode {}
}
