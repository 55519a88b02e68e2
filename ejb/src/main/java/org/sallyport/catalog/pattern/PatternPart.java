package org.sallyport.catalog.pattern;

/**
 * A translated part of a pattern.
 *
 * @param text an expression of Java
 * @param emptyPaths upper bound of the number of ways in which it matches the empty text; 0 if it always reads a
 *     character
 * @param workPaths upper bound of the number of ways through it between two reads of a character, at least 1
 * @param minLength number of code points that it matches at least
 * @param maxLength upper bound of the number of code points that it matches; {@link #UNBOUNDED} if there is none
 */
record PatternPart(String text, long emptyPaths, long workPaths, long minLength, long maxLength) {
    static final long UNBOUNDED = Long.MAX_VALUE;
    static final PatternPart EMPTY = new PatternPart("", 1, 1, 0, 0);

    /** Larger numbers are not distinguished. */
    private static final long MAX_PATHS = 1_000_000_000;

    /** Returns a part that reads one code point. */
    static PatternPart character(String text) {
        return new PatternPart(text, 0, 1, 1, 1);
    }

    /** Returns a part that reads nothing and has no alternatives. */
    static PatternPart assertion(String text) {
        return new PatternPart(text, 1, 1, 0, 0);
    }

    PatternPart withText(String changed) {
        return new PatternPart(changed, emptyPaths, workPaths, minLength, maxLength);
    }

    /** Returns this part and {@code next} behind it. The texts are joined by the caller. */
    PatternPart then(PatternPart next) {
        return new PatternPart(
                "",
                product(emptyPaths, next.emptyPaths),
                product(workPaths, next.workPaths),
                sum(minLength, next.minLength),
                sum(maxLength, next.maxLength));
    }

    /** Returns this part or {@code other}. The texts are joined by the caller. */
    PatternPart or(PatternPart other) {
        return new PatternPart(
                "",
                Math.min(MAX_PATHS, emptyPaths + other.emptyPaths),
                Math.max(1, Math.min(MAX_PATHS, ownPaths() + other.ownPaths())),
                Math.min(minLength, other.minLength),
                Math.max(maxLength, other.maxLength));
    }

    /** A part that reads a character at once has no path of its own. */
    private long ownPaths() {
        return emptyPaths == 0 && workPaths == 1 ? 0 : workPaths;
    }

    /** Returns this part, repeated. {@code max} is {@link Integer#MAX_VALUE} if there is no bound. */
    PatternPart repeated(String repeatedText, int min, int max) {
        long length = max == Integer.MAX_VALUE && maxLength > 0 ? UNBOUNDED : multiply(maxLength, max);
        if (min == 0) {
            return new PatternPart(
                    repeatedText,
                    Math.min(MAX_PATHS, 1 + emptyPaths),
                    Math.max(1, Math.min(MAX_PATHS, ownPaths() + (ownPaths() > 0 ? 1 : 0))),
                    0,
                    length);
        }
        long minimum = multiply(minLength, min);
        return emptyPaths == 0
                ? new PatternPart(repeatedText, 0, workPaths, minimum, length)
                : new PatternPart(repeatedText, turns(emptyPaths, min), turns(workPaths, min), minimum, length);
    }

    private static long turns(long paths, int min) {
        long all = min;
        for (int i = 0; i < min && paths > 1 && all < MAX_PATHS; i++) {
            all = product(all, paths);
        }
        return Math.min(MAX_PATHS, all + paths);
    }

    private static long product(long a, long b) {
        return a == 0 || b == 0 ? 0 : Math.min(MAX_PATHS, a * b);
    }

    private static long sum(long a, long b) {
        return a == UNBOUNDED || b == UNBOUNDED ? UNBOUNDED : Math.min(UNBOUNDED - 1, a + b);
    }

    private static long multiply(long length, int times) {
        if (length == UNBOUNDED) {
            return times == 0 ? 0 : UNBOUNDED;
        }
        return times == 0 || length == 0 ? 0 : length > Integer.MAX_VALUE ? UNBOUNDED : length * times;
    }
}
