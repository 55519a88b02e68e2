package org.sallyport.bench.measure;

import java.util.Arrays;

/** The value in the middle. */
final class Median {
    private Median() {}

    /** The mean of the two in the middle where their number is even; throws where there is none. */
    static double of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("nothing has no middle");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
