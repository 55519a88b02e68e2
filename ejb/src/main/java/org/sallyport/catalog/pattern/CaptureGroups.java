package org.sallyport.catalog.pattern;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The capturing groups of a pattern, which are counted first: a reference may precede its group. */
final class CaptureGroups {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<Boolean> open = new ArrayList<>();
    private int count;
    private boolean referenced;

    /** Counts the groups of a pattern. Throws a syntax error if two groups have one name. */
    CaptureGroups(String pattern) {
        PatternCursor cursor = new PatternCursor(pattern);
        boolean inClass = false;
        for (int next = cursor.next(); next != PatternCursor.END; next = cursor.next()) {
            if (next == '\\') {
                int escape = cursor.next();
                referenced |= !inClass && (escape == 'k' || escape >= '1' && escape <= '9');
            } else if (inClass) {
                inClass = next != ']';
            } else if (next == '[') {
                inClass = true;
            } else if (next == '(') {
                addGroup(cursor);
            }
        }
    }

    private void addGroup(PatternCursor cursor) {
        if (cursor.peek() != '?') {
            count++;
        } else if (cursor.peek(1) == '<' && cursor.peek(2) != '=' && cursor.peek(2) != '!') {
            cursor.accept("?<");
            count++;
            if (numbers.put(readName(cursor), count) != null) {
                throw cursor.error("two groups have one name");
            }
        }
    }

    /** Reads the name of a group up to its closing bracket. */
    static String readName(PatternCursor cursor) {
        StringBuilder name = new StringBuilder();
        for (int next = cursor.next(); next != '>'; next = cursor.next()) {
            boolean valid = next == '$'
                    || next == '_'
                    || (name.isEmpty()
                            ? Character.isUnicodeIdentifierStart(next)
                            : Character.isUnicodeIdentifierPart(next) && !Character.isIdentifierIgnorable(next));
            if (!valid) {
                throw cursor.error("the name of a group is not valid");
            }
            name.appendCodePoint(next);
        }
        if (name.isEmpty()) {
            throw cursor.error("the name of a group is empty");
        }
        return name.toString();
    }

    int count() {
        return count;
    }

    boolean hasNames() {
        return !numbers.isEmpty();
    }

    /** Whether the pattern may refer to groups. If not, no group needs to capture. */
    boolean isReferenced() {
        return referenced;
    }

    /** Returns the number of a group. Throws a syntax error if it does not exist. */
    int number(String name, PatternCursor cursor) {
        Integer number = numbers.get(name);
        if (number == null) {
            throw cursor.error("a reference names a group that does not exist");
        }
        return number;
    }

    /** Records that a group begins; returns its number. */
    int open() {
        open.add(true);
        return open.size();
    }

    void close(int number) {
        open.set(number - 1, false);
    }

    /** Whether a group begins and ends before the place that was read last. */
    boolean isComplete(int number) {
        return number <= open.size() && !open.get(number - 1);
    }
}
