package org.sallyport.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Two loads by turns, A B A B, so that both see the same noise of the machine. */
public final class Turns {
    private final List<Measured> loads = new ArrayList<>();
    private final List<Measured> floors = new ArrayList<>();

    private Turns() {}

    /**
     * Runs both so many times.
     *
     * @param rounds at least one
     * @param floor what the load is compared with
     */
    public static Turns take(int rounds, Load load, Load floor) throws Exception {
        if (rounds < 1) {
            throw new IllegalArgumentException("at least one round, not " + rounds);
        }
        Turns turns = new Turns();
        for (int i = 0; i < rounds; i++) {
            turns.loads.add(load.run());
            turns.floors.add(floor.run());
        }
        return turns;
    }

    /** All rounds of the load as one. */
    public Measured load() {
        return together(loads);
    }

    /** All rounds of the floor as one. */
    public Measured floor() {
        return together(floors);
    }

    /**
     * The median over the rounds of how many times the floor's figure the load's is.
     *
     * @param figure what is compared; less is better
     */
    public double ratio(ToDoubleFunction<Measured> figure) {
        double[] ratios = new double[loads.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = figure.applyAsDouble(loads.get(i)) / figure.applyAsDouble(floors.get(i));
        }
        return Median.of(ratios);
    }

    /**
     * The median over the rounds of how much more than the floor's figure the load's is.
     *
     * @param figure what is compared; less is better
     */
    public double difference(ToDoubleFunction<Measured> figure) {
        double[] differences = new double[loads.size()];
        for (int i = 0; i < differences.length; i++) {
            differences[i] = figure.applyAsDouble(loads.get(i)) - figure.applyAsDouble(floors.get(i));
        }
        return Median.of(differences);
    }

    private static Measured together(List<Measured> rounds) {
        return rounds.stream().reduce(Measured::and).orElseThrow();
    }
}
