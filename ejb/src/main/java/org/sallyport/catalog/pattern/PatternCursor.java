package org.sallyport.catalog.pattern;

/** Reads a pattern by code points. */
final class PatternCursor {
    /** Returned at the end of the pattern. */
    static final int END = -1;

    private final int[] points;
    private int position;

    PatternCursor(String pattern) {
        this.points = pattern.codePoints().toArray();
    }

    /** Returns the next code point without reading it. */
    int peek() {
        return peek(0);
    }

    /** Returns the code point that is {@code ahead} places behind the next one. */
    int peek(int ahead) {
        return position + ahead < points.length ? points[position + ahead] : END;
    }

    /** Reads the next code point. */
    int next() {
        return position < points.length ? points[position++] : END;
    }

    /** Reads the next code point if it is {@code expected}. */
    boolean accept(int expected) {
        if (peek() != expected) {
            return false;
        }
        position++;
        return true;
    }

    /** Reads {@code expected} if it comes next. */
    boolean accept(String expected) {
        for (int i = 0; i < expected.length(); i++) {
            if (peek(i) != expected.charAt(i)) {
                return false;
            }
        }
        position += expected.length();
        return true;
    }

    /** Reads {@code count} hexadecimal digits; returns their value, or {@link #END} without reading them. */
    int hexDigits(int count) {
        int value = 0;
        for (int i = 0; i < count; i++) {
            int digit = hexDigit(peek(i));
            if (digit < 0) {
                return END;
            }
            value = value * 16 + digit;
        }
        position += count;
        return value;
    }

    /** Reads decimal digits; returns their value, at most {@link Integer#MAX_VALUE}, or {@link #END} without any. */
    int decimalDigits() {
        if (!isDigit(peek())) {
            return END;
        }
        long value = 0;
        while (isDigit(peek())) {
            value = Math.min(Integer.MAX_VALUE, value * 10 + next() - '0');
        }
        return (int) value;
    }

    int position() {
        return position;
    }

    void setPosition(int position) {
        this.position = position;
    }

    /** Returns a syntax error that names the place. */
    InvalidPatternException error(String reason) {
        return InvalidPatternException.syntaxError(reason + " (at character " + position + ")");
    }

    static boolean isDigit(int point) {
        return point >= '0' && point <= '9';
    }

    static boolean isLetter(int point) {
        return (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z');
    }

    static int hexDigit(int point) {
        return point < 128 ? Character.digit(point, 16) : -1;
    }
}
