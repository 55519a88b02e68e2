package org.sallyport.bench.report;

import java.util.Optional;

/**
 * One measured number.
 *
 * @param name what of the row it is, such as {@code p50}
 * @param unit such as {@code ms} or {@code /s}
 */
public record MeasuredValue(
        String name, double value, String unit, PerformanceTarget target, Optional<BaselineComparison> comparedWith) {

    public MeasuredValue(String name, double value, String unit, PerformanceTarget target) {
        this(name, value, unit, target, Optional.empty());
    }

    /** The same figure next to what it is compared with. */
    public MeasuredValue comparedWith(BaselineComparison other) {
        return new MeasuredValue(name, value, unit, target, Optional.of(other));
    }

    public boolean targetReached() {
        return target.isReachedBy(value);
    }
}
