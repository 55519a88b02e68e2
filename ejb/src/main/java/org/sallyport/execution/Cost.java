package org.sallyport.execution;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Cost of tool calls, in a unit that the tenant chooses. Counted in millionths, so that sums are exact; never negative.
 *
 * @param micros millionths
 */
public record Cost(long micros) implements Comparable<Cost> {
    private static final int DECIMAL_PLACES = 6;

    public static final Cost ZERO = new Cost(0);

    /** Upper bound of all costs: 10^12 units. Higher amounts are reduced to it. */
    public static final Cost MAX_VALUE = new Cost(1_000_000_000_000_000_000L);

    public Cost {
        if (micros < 0) {
            throw new IllegalArgumentException("a cost must not be negative: " + micros);
        }
    }

    /**
     * Returns the smallest cost that is not below {@code amount}, at most {@link #MAX_VALUE}. Fast for any number of
     * digits.
     */
    public static Cost of(BigDecimal amount) {
        if (amount.signum() <= 0) {
            return new Cost(amount.signum()); // before rounding: the amount may have 10^9 decimal places
        } else if (amount.compareTo(MAX_VALUE.amount()) >= 0) {
            return MAX_VALUE;
        } else if (amount.compareTo(BigDecimal.ONE.movePointLeft(DECIMAL_PLACES)) < 0) {
            return new Cost(1);
        }
        return new Cost(amount.setScale(DECIMAL_PLACES, RoundingMode.CEILING)
                .unscaledValue()
                .longValueExact());
    }

    public static Cost of(String amount) {
        return of(new BigDecimal(amount));
    }

    /** Returns the amount in units, without trailing zeros. */
    public BigDecimal amount() {
        BigDecimal amount = BigDecimal.valueOf(micros, DECIMAL_PLACES).stripTrailingZeros();
        return amount.scale() < 0 ? amount.setScale(0) : amount;
    }

    public boolean isZero() {
        return micros == 0;
    }

    /** Returns the sum, at most {@link #MAX_VALUE}. */
    public Cost plus(Cost more) {
        return new Cost(Math.min(MAX_VALUE.micros, micros + Math.min(MAX_VALUE.micros, more.micros)));
    }

    /** Returns the difference, at least zero. */
    public Cost minus(Cost less) {
        return new Cost(Math.max(0, micros - less.micros));
    }

    @Override
    public int compareTo(Cost other) {
        return Long.compare(micros, other.micros);
    }

    @Override
    public String toString() {
        return amount().toPlainString();
    }
}
