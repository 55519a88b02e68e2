package org.sallyport.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Runs a load and a baseline alternately, A B A B, so that both meet the same noise of the machine. */
public final class AlternatingRuns {
    private final List<LoopResult> loads = new ArrayList<>();
    private final List<LoopResult> baselines = new ArrayList<>();

    private AlternatingRuns() {}

    /**
     * Runs the load and the baseline, alternately.
     *
     * @param rounds number of runs of each, at least one
     * @param floor the baseline
     */
    public static AlternatingRuns run(int rounds, Workload load, Workload floor) throws Exception {
        if (rounds < 1) {
            throw new IllegalArgumentException("at least one round, not " + rounds);
        }
        AlternatingRuns turns = new AlternatingRuns();
        for (int i = 0; i < rounds; i++) {
            turns.loads.add(load.run());
            turns.baselines.add(floor.run());
        }
        return turns;
    }

    /** Returns all rounds of the load as one result. */
    public LoopResult loadTotal() {
        return merge(loads);
    }

    /** Returns all rounds of the baseline as one result. */
    public LoopResult baselineTotal() {
        return merge(baselines);
    }

    /**
     * Returns the median over the rounds of the ratio of the load's figure to the baseline's figure.
     *
     * @param figure the compared figure; a lower one is better
     */
    public double medianRatio(ToDoubleFunction<LoopResult> figure) {
        double[] ratios = new double[loads.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = figure.applyAsDouble(loads.get(i)) / figure.applyAsDouble(baselines.get(i));
        }
        return Median.of(ratios);
    }

    /**
     * Returns the median over the rounds of the load's figure minus the baseline's figure.
     *
     * @param figure the compared figure; a lower one is better
     */
    public double medianDifference(ToDoubleFunction<LoopResult> figure) {
        double[] differences = new double[loads.size()];
        for (int i = 0; i < differences.length; i++) {
            differences[i] = figure.applyAsDouble(loads.get(i)) - figure.applyAsDouble(baselines.get(i));
        }
        return Median.of(differences);
    }

    private static LoopResult merge(List<LoopResult> rounds) {
        return rounds.stream().reduce(LoopResult::plus).orElseThrow();
    }
}
