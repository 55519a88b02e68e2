package org.sallyport.catalog.pattern;

/**
 * A set of code points in a pattern.
 *
 * @param ranges the part of it that is known as ranges
 * @param javaItems the other part, as it is written in a character class of Java; empty if there is none
 */
record ClassEscape(CodePointRanges ranges, String javaItems) {
    static ClassEscape of(CodePointRanges ranges) {
        return new ClassEscape(ranges, "");
    }

    static ClassEscape ofJava(String items) {
        return new ClassEscape(CodePointRanges.EMPTY, items);
    }

    /** Returns an expression of Java that matches one code point of the set, or one that is not in it. */
    String toJava(boolean negated) {
        if (javaItems.isEmpty()) {
            return (negated ? ranges.complement() : ranges).toJava();
        }
        return (negated ? "[^" : "[") + ranges.toJavaItems() + javaItems + "]";
    }
}
