package org.sallyport.sandbox;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes JSON for scripts: a number that JavaScript would change becomes a text with its digits. These are the numbers
 * that JavaScript, after reading them, would not write with the same decimal value: they have more digits than a double
 * keeps, or are too large or too small for one. All other numbers and all texts stay as they are.
 */
public final class ExactNumberEncoder {
    /** A double of ordinary size keeps all decimals of up to this many significant digits. */
    private static final int KEPT_DIGITS = 15;

    /** JavaScript writes no double with more significant digits. */
    private static final int MAX_DIGITS = 17;

    /** Powers of ten up to this one are within the range in which doubles have their full precision. */
    private static final int MAX_ORDINARY_EXPONENT = 307;

    private static final int MAX_EXPONENT = 308;
    private static final int MIN_EXPONENT = -324;

    /** No text has enough digits to make up for a larger exponent. */
    private static final long HUGE_EXPONENT = 10_000_000_000L;

    /** Groups: sign, digits before the point, digits after it, and exponent. */
    private static final Pattern JSON_NUMBER =
            Pattern.compile("(-?)(0|[1-9][0-9]*+)(?:\\.([0-9]++))?(?:[eE]([+-]?[0-9]++))?");

    private ExactNumberEncoder() {}

    /**
     * Returns the JSON text for a script; the same instance if it needs no change. The time is linear in its length. A
     * text that is not JSON stays one that is not JSON.
     */
    public static String encode(String json) {
        StringBuilder encoded = null;
        int copied = 0;
        int at = 0;
        while (at < json.length()) {
            char c = json.charAt(at);
            if (c == '"') {
                at = endOfText(json, at + 1);
            } else if (!isDigit(c)) {
                at++;
            } else {
                int end = endOfNumber(json, at);
                int start = at > 0 && json.charAt(at - 1) == '-' ? at - 1 : at;
                if (end < 0) {
                    end = -end;
                    String number = json.substring(start, end);
                    if (isChangedByJavaScript(number) && !isMemberName(json, end)) {
                        encoded = encoded == null ? new StringBuilder(json.length() + 64) : encoded;
                        encoded.append(json, copied, start).append('"');
                        encoded.append(number.replace('E', 'e').replace("+", ""))
                                .append('"');
                        copied = end;
                    }
                }
                at = end;
            }
        }
        return encoded == null
                ? json
                : encoded.append(json, copied, json.length()).toString();
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** @param start offset after the opening quotation mark */
    private static int endOfText(String json, int start) {
        int quote = json.indexOf('"', start);
        while (quote >= 0 && isEscaped(json, start, quote)) {
            quote = json.indexOf('"', quote + 1);
        }
        return quote < 0 ? json.length() : quote + 1;
    }

    private static boolean isEscaped(String json, int start, int quote) {
        int backslashes = 0;
        while (quote - backslashes > start && json.charAt(quote - backslashes - 1) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    /**
     * Returns the offset after the number that begins at {@code start}; negative if the number needs a closer look,
     * because it has more than {@link #KEPT_DIGITS} digits or an exponent.
     */
    private static int endOfNumber(String json, int start) {
        int digits = 0;
        boolean exponent = false;
        int end = start;
        for (; end < json.length(); end++) {
            char c = json.charAt(end);
            if (isDigit(c)) {
                // Leading zeros do not count.
                digits += digits > 0 || c != '0' ? 1 : 0;
            } else if (c == 'e' || c == 'E') {
                exponent = true;
            } else if (c != '.' && c != '+' && c != '-') {
                break;
            }
        }
        return exponent || digits > KEPT_DIGITS ? -end : end;
    }

    /** The name of a member must be a text; with a number there, the text is not JSON. */
    private static boolean isMemberName(String json, int end) {
        int next = end;
        while (next < json.length() && json.charAt(next) <= ' ') {
            next++;
        }
        return next < json.length() && json.charAt(next) == ':';
    }

    /** Returns whether JavaScript would read and write {@code number} with another value; false if it is no number. */
    private static boolean isChangedByJavaScript(String number) {
        Matcher matcher = JSON_NUMBER.matcher(number);
        if (!matcher.matches()) {
            return false;
        }
        String whole = matcher.group(2);
        @Nullable String fraction = matcher.group(3);
        @Nullable String exponent = matcher.group(4);
        String digits = fraction == null ? whole : whole + fraction;
        int first = 0;
        while (first < digits.length() && digits.charAt(first) == '0') {
            first++;
        }
        int last = digits.length();
        while (last > first && digits.charAt(last - 1) == '0') {
            last--;
        }
        if (first == last) {
            return false; // zero
        } else if (last - first > MAX_DIGITS) {
            return true;
        }
        // The value is significant × 10^lowest, with the first digit at 10^highest.
        long highest = (exponent == null ? 0 : parseExponent(exponent)) + whole.length() - 1 - first;
        long lowest = highest - (last - first) + 1;
        if (highest > MAX_EXPONENT || highest < MIN_EXPONENT) {
            return true;
        } else if (last - first <= KEPT_DIGITS && Math.abs(highest) <= MAX_ORDINARY_EXPONENT) {
            return false;
        }
        double read = Math.abs(Double.parseDouble(number));
        BigDecimal value = BigDecimal.valueOf(Long.parseLong(digits, first, last, 10), (int) -lowest);
        return read == 0 || Double.isInfinite(read) || !isWrittenFor(read, value, last - first);
    }

    /** Returns the exponent; of one that is too large for any double, a value that is too large as well. */
    private static long parseExponent(String exponent) {
        boolean negative = exponent.charAt(0) == '-';
        long value = 0;
        for (int at = isDigit(exponent.charAt(0)) ? 0 : 1; at < exponent.length() && value < HUGE_EXPONENT; at++) {
            value = value * 10 + exponent.charAt(at) - '0';
        }
        return negative ? -value : value;
    }

    /**
     * Returns whether JavaScript writes a double as {@code value}: no decimal with fewer digits is read as this double,
     * and none with as many digits is nearer to it.
     *
     * @param value a decimal that is read as the double
     * @param digits the number of significant digits of {@code value}
     */
    private static boolean isWrittenFor(double read, BigDecimal value, int digits) {
        BigDecimal exact = new BigDecimal(read);
        BigDecimal below = exact.round(new MathContext(digits, RoundingMode.DOWN));
        BigDecimal above = exact.round(new MathContext(digits, RoundingMode.UP));
        boolean isBelow = value.compareTo(below) == 0;
        if (!isBelow && value.compareTo(above) != 0) {
            return false;
        }
        BigDecimal other = isBelow ? above : below;
        if (other.compareTo(value) != 0 && other.doubleValue() == read && isNearer(other, value, exact)) {
            return false;
        }
        return digits == 1
                || exact.round(new MathContext(digits - 1, RoundingMode.DOWN)).doubleValue() != read
                        && exact.round(new MathContext(digits - 1, RoundingMode.UP))
                                        .doubleValue()
                                != read;
    }

    /** Returns whether {@code other} is nearer to {@code exact}; of two equally near ones, the even one counts. */
    private static boolean isNearer(BigDecimal other, BigDecimal value, BigDecimal exact) {
        int compared =
                other.subtract(exact).abs().compareTo(value.subtract(exact).abs());
        return compared < 0 || compared == 0 && value.unscaledValue().testBit(0);
    }
}
