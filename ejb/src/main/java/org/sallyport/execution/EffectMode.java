package org.sallyport.execution;

import org.sallyport.tool.Json;

/** How the calls of a script that may change something are handled. */
public sealed interface EffectMode {
    /** All calls are made. */
    EffectMode REAL = new RealEffects();

    /** Only calls that change nothing are made; all others are denied. */
    EffectMode READ_ONLY = new ReadOnlyEffects();

    /** All calls are made. */
    record RealEffects() implements EffectMode {}

    /** Only calls that change nothing are made; all others are denied. */
    record ReadOnlyEffects() implements EffectMode {}

    /**
     * Calls are listed instead of made and get mocked replies.
     *
     * @param fixtures an object with the replies of tools, by their names
     */
    record DryRun(Json fixtures) implements EffectMode {}

    /**
     * Only calls that a dry run listed are made, each as often as listed; any other call stops the script.
     *
     * @param plan the dry run
     * @param approver id of the API key that approved the plan
     */
    record ApprovedPlan(ExecutionId plan, String approver) implements EffectMode {}
}
