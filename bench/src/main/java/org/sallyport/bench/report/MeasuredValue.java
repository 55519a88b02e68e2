package org.sallyport.bench.report;

import java.util.Optional;

/**
 * One figure of a row.
 *
 * @param name the name of the figure within its row, such as {@code p50}
 * @param unit such as {@code ms} or {@code /s}
 */
public record MeasuredValue(
        String name, double value, String unit, PerformanceTarget target, Optional<BaselineComparison> comparedWith) {

    public MeasuredValue(String name, double value, String unit, PerformanceTarget target) {
        this(name, value, unit, target, Optional.empty());
    }

    /** Returns this figure with a baseline. */
    public MeasuredValue comparedWith(BaselineComparison other) {
        return new MeasuredValue(name, value, unit, target, Optional.of(other));
    }

    public boolean targetReached() {
        return target.isReachedBy(value);
    }
}
