package org.sallyport.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Two loads by turns, A B A B, so that both see the same noise of the machine. */
public final class AlternatingRuns {
    private final List<LoopResult> loads = new ArrayList<>();
    private final List<LoopResult> baselines = new ArrayList<>();

    private AlternatingRuns() {}

    /**
     * Runs both so many times.
     *
     * @param rounds at least one
     * @param floor what the load is compared with
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

    /** All rounds of the load as one. */
    public LoopResult loadTotal() {
        return merge(loads);
    }

    /** All rounds of the floor as one. */
    public LoopResult baselineTotal() {
        return merge(baselines);
    }

    /**
     * The median over the rounds of how many times the floor's figure the load's is.
     *
     * @param figure what is compared; less is better
     */
    public double medianRatio(ToDoubleFunction<LoopResult> figure) {
        double[] ratios = new double[loads.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = figure.applyAsDouble(loads.get(i)) / figure.applyAsDouble(baselines.get(i));
        }
        return Median.of(ratios);
    }

    /**
     * The median over the rounds of how much more than the floor's figure the load's is.
     *
     * @param figure what is compared; less is better
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
