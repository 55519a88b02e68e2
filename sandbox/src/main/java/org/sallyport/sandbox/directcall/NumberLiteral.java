package org.sallyport.sandbox.directcall;

/**
 * A number literal of a script: decimal, hexadecimal, octal or binary, with separators. Not valid here: legacy octals,
 * BigInts, numbers that overflow to infinity, and literals with so many significant digits that engines may differ in
 * the last one.
 *
 * @param endOffset offset after the literal
 */
record NumberLiteral(double value, int endOffset, boolean valid) {
    /** Up to so many significant digits, each engine takes the number that is nearest (ECMA-262, RoundMVResult). */
    private static final int MAX_SIGNIFICANT_DIGITS = 20;

    private static final double MAX_SAFE_INTEGER = 1L << 53;

    static NumberLiteral parse(String code, int start) {
        int radix = start + 1 < code.length() && code.charAt(start) == '0' ? radix(code.charAt(start + 1)) : 10;
        return radix == 10 ? parseDecimal(code, start) : parseInteger(code, start + 2, radix);
    }

    private static int radix(char sign) {
        return switch (sign) {
            case 'x', 'X' -> 16;
            case 'o', 'O' -> 8;
            case 'b', 'B' -> 2;
            default -> 10;
        };
    }

    private static NumberLiteral parseInteger(String code, int start, int radix) {
        int end = skipDigits(code, start, radix);
        double value = 0;
        for (int i = start; i < end; i++) {
            if (code.charAt(i) != '_') {
                value = value * radix + Character.digit(code.charAt(i), radix);
            }
        }
        return new NumberLiteral(value, end, hasValidSeparators(code, start, end) && value <= MAX_SAFE_INTEGER);
    }

    private static NumberLiteral parseDecimal(String code, int start) {
        int whole = skipDigits(code, start, 10);
        boolean valid = whole == start || hasValidSeparators(code, start, whole);
        // 07, 08 and 0_1 have another meaning or none.
        valid &= whole - start <= 1 || code.charAt(start) != '0';
        int end = whole;
        if (end < code.length() && code.charAt(end) == '.') {
            int fraction = end + 1;
            end = skipDigits(code, fraction, 10);
            valid &= end == fraction ? whole > start : hasValidSeparators(code, fraction, end);
        }
        int mantissa = end;
        if (end < code.length() && (code.charAt(end) == 'e' || code.charAt(end) == 'E')) {
            int exponent = end + 1;
            if (exponent < code.length() && (code.charAt(exponent) == '+' || code.charAt(exponent) == '-')) {
                exponent++;
            }
            end = skipDigits(code, exponent, 10);
            valid &= hasValidSeparators(code, exponent, end) && end - exponent <= 4;
        }
        valid &= countSignificantDigits(code, start, mantissa) <= MAX_SIGNIFICANT_DIGITS;
        double value = valid ? Double.parseDouble(code.substring(start, end).replace("_", "")) : 0;
        return new NumberLiteral(value, end, valid && !Double.isInfinite(value));
    }

    private static int countSignificantDigits(String code, int start, int end) {
        int count = 0;
        int zeros = 0;
        for (int i = start; i < end; i++) {
            char digit = code.charAt(i);
            if (digit == '0') {
                zeros += count > 0 ? 1 : 0;
            } else if (digit != '.' && digit != '_') {
                count += zeros + 1;
                zeros = 0;
            }
        }
        return count;
    }

    private static int skipDigits(String code, int start, int radix) {
        int end = start;
        while (end < code.length()
                && (code.charAt(end) == '_'
                        || (code.charAt(end) < 0x80 && Character.digit(code.charAt(end), radix) >= 0))) {
            end++;
        }
        return end;
    }

    /** Returns whether there is a digit, and separators occur only singly between digits. */
    private static boolean hasValidSeparators(String code, int start, int end) {
        String digits = code.substring(start, end);
        return !digits.isEmpty() && !digits.startsWith("_") && !digits.endsWith("_") && !digits.contains("__");
    }
}
