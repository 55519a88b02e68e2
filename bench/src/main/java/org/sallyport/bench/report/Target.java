package org.sallyport.bench.report;

/**
 * What a figure should reach.
 *
 * @param bound on which side of the value it should be
 */
public record Target(Bound bound, double value) {

    /** The side. */
    public enum Bound {
        AT_MOST("≤"),
        AT_LEAST("≥"),
        /** On any: the figure is there to be seen. */
        NONE("");

        private final String sign;

        Bound(String sign) {
            this.sign = sign;
        }

        String sign() {
            return sign;
        }
    }

    public static Target atMost(double value) {
        return new Target(Bound.AT_MOST, value);
    }

    public static Target atLeast(double value) {
        return new Target(Bound.AT_LEAST, value);
    }

    /** That of a figure from which nothing is asked. */
    public static Target none() {
        return new Target(Bound.NONE, Double.NaN);
    }

    public boolean reachedBy(double measured) {
        return switch (bound) {
            case AT_MOST -> measured <= value;
            case AT_LEAST -> measured >= value;
            case NONE -> true;
        };
    }
}
