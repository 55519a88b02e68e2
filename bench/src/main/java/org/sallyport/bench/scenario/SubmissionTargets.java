package org.sallyport.bench.scenario;

import org.sallyport.bench.report.PerformanceTarget;

/**
 * Targets of many submitted scripts, in scripts per second.
 *
 * @param completed of the rate at which they complete
 * @param accepted of the rate at which they are accepted
 */
record SubmissionTargets(PerformanceTarget completed, PerformanceTarget accepted) {
    /** Targets of row P3, for scripts that make no call. */
    static final SubmissionTargets WITHOUT_CALLS =
            new SubmissionTargets(PerformanceTarget.atLeast(1_000), PerformanceTarget.atLeast(5_000));

    static final SubmissionTargets NONE = new SubmissionTargets(PerformanceTarget.none(), PerformanceTarget.none());
}
