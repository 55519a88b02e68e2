package org.sallyport.bench.report;

/**
 * What a figure should reach.
 *
 * @param bound on which side of the value it should be
 */
public record PerformanceTarget(TargetBound bound, double value) {

    /** The side. */
    public enum TargetBound {
        AT_MOST("≤"),
        AT_LEAST("≥"),
        /** On any: the figure is there to be seen. */
        NONE("");

        private final String sign;

        TargetBound(String sign) {
            this.sign = sign;
        }

        String sign() {
            return sign;
        }
    }

    public static PerformanceTarget atMost(double value) {
        return new PerformanceTarget(TargetBound.AT_MOST, value);
    }

    public static PerformanceTarget atLeast(double value) {
        return new PerformanceTarget(TargetBound.AT_LEAST, value);
    }

    /** That of a figure from which nothing is asked. */
    public static PerformanceTarget none() {
        return new PerformanceTarget(TargetBound.NONE, Double.NaN);
    }

    public boolean isReachedBy(double measured) {
        return switch (bound) {
            case AT_MOST -> measured <= value;
            case AT_LEAST -> measured >= value;
            case NONE -> true;
        };
    }
}
