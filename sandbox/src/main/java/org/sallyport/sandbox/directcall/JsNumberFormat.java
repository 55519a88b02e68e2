package org.sallyport.sandbox.directcall;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Formats numbers as JavaScript does (ECMA-262, Number::toString): the fewest digits that parse to the same number. */
final class JsNumberFormat {
    /** A double of ordinary size distinguishes all decimals of up to this many digits. */
    private static final int EXACT_DIGITS = 15;

    private static final int MAX_DIGITS = 17;

    private JsNumberFormat() {}

    /**
     * @param value must be finite
     */
    static String format(double value) {
        if (value == 0) {
            return "0";
        }
        if (value == Math.rint(value) && Math.abs(value) < 1L << 53) {
            return Long.toString((long) value);
        }
        BigDecimal digits = shortest(Math.abs(value));
        String text = formatDigits(digits.unscaledValue().toString(), digits.precision() - digits.scale());
        return value < 0 ? "-" + text : text;
    }

    private static BigDecimal shortest(double value) {
        BigDecimal exact = new BigDecimal(value);
        // Tiny numbers have fewer significant digits, so all lengths must be tried.
        for (int length = value < 1e-290 ? 1 : EXACT_DIGITS; length <= MAX_DIGITS; length++) {
            BigDecimal below = exact.round(new MathContext(length, RoundingMode.DOWN));
            BigDecimal above = exact.round(new MathContext(length, RoundingMode.UP));
            boolean belowFits = below.doubleValue() == value;
            boolean aboveFits = above.doubleValue() == value;
            if (belowFits || aboveFits) {
                boolean takeBelow = !aboveFits || (belowFits && isNearer(below, above, exact));
                return (takeBelow ? below : above).stripTrailingZeros();
            }
        }
        return exact.round(new MathContext(MAX_DIGITS)).stripTrailingZeros();
    }

    /** At the midpoint between both, the candidate whose last digit is even wins. */
    private static boolean isNearer(BigDecimal below, BigDecimal above, BigDecimal exact) {
        int compared = exact.subtract(below).compareTo(above.subtract(exact));
        return compared < 0 || (compared == 0 && !below.unscaledValue().testBit(0));
    }

    /**
     * @param point number of digits before the decimal point; may be negative or larger than the number of digits
     */
    private static String formatDigits(String digits, int point) {
        int count = digits.length();
        if (count <= point && point <= 21) {
            return digits + "0".repeat(point - count);
        }
        if (0 < point && point <= 21) {
            return digits.substring(0, point) + "." + digits.substring(point);
        }
        if (-6 < point && point <= 0) {
            return "0." + "0".repeat(-point) + digits;
        }
        int exponent = point - 1;
        String sign = exponent < 0 ? "-" : "+";
        String mantissa = count == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return mantissa + "e" + sign + Math.abs(exponent);
    }
}
