package org.sallyport.catalog.pattern;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads a character class such as {@code [^a-z\d]}. */
final class CharacterClassReader {
    private final PatternCursor cursor;
    private final boolean unicode;
    private final CharacterEscapes escapes;

    CharacterClassReader(PatternCursor cursor, boolean unicode, CharacterEscapes escapes) {
        this.cursor = cursor;
        this.unicode = unicode;
        this.escapes = escapes;
    }

    /** A single code point, or a set. */
    private record ClassAtom(int point, Optional<ClassEscape> set) {
        boolean isSet() {
            return set.isPresent();
        }

        ClassEscape toSet() {
            return set.orElseGet(() -> ClassEscape.of(CodePointRanges.of(point, point)));
        }
    }

    /** Reads a class, whose opening bracket was read; returns it as an expression of Java. */
    String read() {
        boolean negated = cursor.accept('^');
        List<ClassEscape> sets = new ArrayList<>();
        while (!cursor.accept(']')) {
            ClassAtom first = readAtom();
            if (cursor.peek() == '-' && cursor.peek(1) != ']' && cursor.peek(1) != PatternCursor.END) {
                cursor.next();
                addRange(first, readAtom(), sets);
            } else {
                sets.add(first.toSet());
            }
        }
        StringBuilder javaItems = new StringBuilder();
        sets.forEach(set -> javaItems.append(set.javaItems()));
        CodePointRanges ranges =
                CodePointRanges.union(sets.stream().map(ClassEscape::ranges).toList());
        return new ClassEscape(ranges, javaItems.toString()).toJava(negated);
    }

    private void addRange(ClassAtom first, ClassAtom last, List<ClassEscape> sets) {
        if (first.isSet() || last.isSet()) {
            if (unicode) {
                throw cursor.error("a range of a character class begins or ends with a class");
            }
            sets.add(first.toSet());
            sets.add(ClassEscape.of(CodePointRanges.of('-', '-')));
            sets.add(last.toSet());
        } else if (first.point() > last.point()) {
            throw cursor.error("a range of a character class is out of order");
        } else {
            sets.add(ClassEscape.of(CodePointRanges.of(first.point(), last.point())));
        }
    }

    private ClassAtom readAtom() {
        int next = cursor.next();
        if (next == PatternCursor.END) {
            throw cursor.error("a character class has no end");
        }
        if (next != '\\') {
            return new ClassAtom(next, Optional.empty());
        }
        Optional<ClassEscape> set = escapes.readClass();
        return set.isPresent() ? new ClassAtom(0, set) : new ClassAtom(readEscape(), Optional.empty());
    }

    private int readEscape() {
        if (cursor.accept('b')) {
            return '\b';
        }
        if (unicode && cursor.accept('-')) {
            return '-';
        }
        int afterLetter = cursor.peek(1);
        if (!unicode && cursor.peek() == 'c' && (PatternCursor.isDigit(afterLetter) || afterLetter == '_')) {
            cursor.next();
            return cursor.next() % 32;
        }
        return escapes.readCodePoint();
    }
}
