package org.sallyport.bench.report;

import java.util.Optional;

/**
 * One measured number.
 *
 * @param name what of the row it is, such as {@code p50}
 * @param unit such as {@code ms} or {@code /s}
 */
public record Figure(String name, double value, String unit, Target target, Optional<Beside> beside) {

    public Figure(String name, double value, String unit, Target target) {
        this(name, value, unit, target, Optional.empty());
    }

    /** The same figure next to what it is compared with. */
    public Figure beside(Beside other) {
        return new Figure(name, value, unit, target, Optional.of(other));
    }

    public boolean reached() {
        return target.reachedBy(value);
    }
}
