package org.sallyport.catalog.pattern;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A set of code points as sorted ranges that neither overlap nor touch. Immutable. */
final class CodePointRanges {
    static final CodePointRanges EMPTY = new CodePointRanges(List.of());
    static final CodePointRanges ALL = of(0, Character.MAX_CODE_POINT);
    static final CodePointRanges DIGITS = of('0', '9');
    static final CodePointRanges WORD = of('0', '9', 'A', 'Z', '_', '_', 'a', 'z');
    static final CodePointRanges LINE_ENDS = of('\n', '\n', '\r', '\r', 0x2028, 0x2029);
    /** White space and line ends of ECMA-262. */
    static final CodePointRanges SPACE = of(
            0x9, 0xd, ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f,
            0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff);

    /** The number of ranges of one Java class. Java calls one predicate within another for each range. */
    private static final int MAX_FLAT_RANGES = 64;

    private final List<CodePointRange> ranges;

    /** Code points from {@code first} to {@code last}. */
    private record CodePointRange(int first, int last) {}

    private CodePointRanges(List<CodePointRange> ranges) {
        this.ranges = ranges;
    }

    /** Returns ranges by their first and last code points. */
    static CodePointRanges of(int... bounds) {
        List<CodePointRange> ranges = new ArrayList<>();
        for (int i = 0; i < bounds.length; i += 2) {
            ranges.add(new CodePointRange(bounds[i], bounds[i + 1]));
        }
        return normalized(ranges);
    }

    private static CodePointRanges normalized(List<CodePointRange> ranges) {
        List<CodePointRange> sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingInt(CodePointRange::first));
        List<CodePointRange> merged = new ArrayList<>();
        for (CodePointRange range : sorted) {
            int end = merged.size() - 1;
            if (end >= 0 && range.first() <= merged.get(end).last() + 1) {
                CodePointRange before = merged.get(end);
                merged.set(end, new CodePointRange(before.first(), Math.max(before.last(), range.last())));
            } else {
                merged.add(range);
            }
        }
        return new CodePointRanges(List.copyOf(merged));
    }

    /** Returns the union of the sets. */
    static CodePointRanges union(List<CodePointRanges> sets) {
        List<CodePointRange> ranges = new ArrayList<>();
        sets.forEach(set -> ranges.addAll(set.ranges));
        return normalized(ranges);
    }

    /** Returns all code points that are not in this set. */
    CodePointRanges complement() {
        List<CodePointRange> others = new ArrayList<>();
        int next = 0;
        for (CodePointRange range : ranges) {
            if (range.first() > next) {
                others.add(new CodePointRange(next, range.first() - 1));
            }
            next = range.last() + 1;
        }
        if (next <= Character.MAX_CODE_POINT) {
            others.add(new CodePointRange(next, Character.MAX_CODE_POINT));
        }
        return new CodePointRanges(List.copyOf(others));
    }

    boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** Returns an expression of Java that matches one code point of this set. */
    String toJava() {
        if (ranges.isEmpty()) {
            return "(?:(?!))";
        }
        return equals(ALL) ? "(?s:.)" : "[" + toJavaItems() + "]";
    }

    /** Returns the ranges as they are written in a character class of Java. */
    String toJavaItems() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < ranges.size(); i++) {
            if (ranges.size() > MAX_FLAT_RANGES && i % MAX_FLAT_RANGES == 0) {
                text.append(i == 0 ? "[" : "][");
            }
            CodePointRange range = ranges.get(i);
            text.append(literal(range.first()));
            if (range.last() > range.first()) {
                text.append('-').append(literal(range.last()));
            }
        }
        return text.append(ranges.size() > MAX_FLAT_RANGES ? "]" : "").toString();
    }

    /** Returns one code point as it is written in an expression of Java. */
    static String literal(int point) {
        return PatternCursor.isLetter(point) || PatternCursor.isDigit(point)
                ? Character.toString(point)
                : String.format("\\x{%x}", point);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CodePointRanges set && set.ranges.equals(ranges);
    }

    @Override
    public int hashCode() {
        return ranges.hashCode();
    }
}
