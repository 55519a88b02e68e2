package org.sallyport.bench.measure;

import java.util.Arrays;

final class Median {
    private Median() {}

    /**
     * Returns the median. For an even number of values it is the mean of the middle two.
     *
     * @throws IllegalArgumentException if there is no value
     */
    static double of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("the median needs at least one value");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
