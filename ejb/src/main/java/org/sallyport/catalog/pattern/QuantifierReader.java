package org.sallyport.catalog.pattern;

import java.util.Optional;

/** Reads quantifiers such as {@code *} or {@code {2,5}}, without the mark of a lazy one. */
final class QuantifierReader {
    private final PatternCursor cursor;

    QuantifierReader(PatternCursor cursor) {
        this.cursor = cursor;
    }

    /** The numbers of a quantifier; {@code max} is {@link Integer#MAX_VALUE} if there is no bound. */
    record RepetitionRange(int min, int max) {
        boolean isUnbounded() {
            return max == Integer.MAX_VALUE;
        }

        String toJava() {
            return "{" + min + (isUnbounded() ? ",}" : "," + max + "}");
        }
    }

    /** Reads a quantifier; reads nothing if there is none. */
    Optional<RepetitionRange> read() {
        if (cursor.accept('*')) {
            return Optional.of(new RepetitionRange(0, Integer.MAX_VALUE));
        }
        if (cursor.accept('+')) {
            return Optional.of(new RepetitionRange(1, Integer.MAX_VALUE));
        }
        if (cursor.accept('?')) {
            return Optional.of(new RepetitionRange(0, 1));
        }
        int position = cursor.position();
        if (!cursor.accept('{')) {
            return Optional.empty();
        }
        int min = cursor.decimalDigits();
        int max = min;
        if (cursor.accept(',')) {
            max = cursor.peek() == '}' ? Integer.MAX_VALUE : cursor.decimalDigits();
        }
        if (min == PatternCursor.END || max == PatternCursor.END || !cursor.accept('}')) {
            cursor.setPosition(position);
            return Optional.empty();
        }
        return Optional.of(new RepetitionRange(min, max));
    }
}
