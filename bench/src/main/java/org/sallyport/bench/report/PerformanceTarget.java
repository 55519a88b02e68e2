package org.sallyport.bench.report;

/**
 * Target of a figure.
 *
 * @param bound whether {@code value} is a maximum or a minimum
 */
public record PerformanceTarget(TargetBound bound, double value) {

    public enum TargetBound {
        AT_MOST("≤"),
        AT_LEAST("≥"),
        /** The figure has no target and is shown for information only. */
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

    /** Returns the target of a figure that has none. */
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
