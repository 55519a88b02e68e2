package org.sallyport.catalog.pattern;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The capturing groups of a pattern, which are counted first: a reference may precede its group. */
final class CaptureGroups {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<GroupState> opened = new ArrayList<>();
    private final List<Integer> optionalReferences = new ArrayList<>();
    private int count;
    private boolean referenced;

    /** A group, as far as the pattern was read. */
    private static final class GroupState {
        /** Java does not always restore its text when it gives up an attempt. */
        private final boolean inLookAround;

        /** ECMA-262 matches a look-behind from its end, Java from its beginning: the texts of groups differ. */
        private final boolean inLookBehind;

        private boolean complete;
        private boolean inOtherAlternative;
        private boolean inNegation;
        private boolean optional;

        /** Java does not always restore the text of the turn before when it gives up a turn. */
        private boolean repeated;

        GroupState(boolean inLookAround, boolean inLookBehind) {
            this.inLookAround = inLookAround;
            this.inLookBehind = inLookBehind;
        }
    }

    /**
     * A place of the pattern.
     *
     * @param opened number of groups that were opened before it
     * @param references number of references to optional groups before it
     */
    record GroupMark(int opened, int references) {}

    /** Counts the groups of a pattern. Throws a syntax error if two groups have one name. */
    CaptureGroups(String pattern) {
        PatternCursor cursor = new PatternCursor(pattern);
        boolean inClass = false;
        for (int next = cursor.next(); next != PatternCursor.END; next = cursor.next()) {
            if (next == '\\') {
                int escape = cursor.next();
                referenced |= !inClass && (escape == 'k' || (escape >= '1' && escape <= '9'));
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

    GroupMark mark() {
        return new GroupMark(opened.size(), optionalReferences.size());
    }

    private List<GroupState> since(GroupMark mark) {
        return opened.subList(mark.opened(), opened.size());
    }

    /** Records that a group begins; returns its number. */
    int open(boolean inLookAround, boolean inLookBehind) {
        opened.add(new GroupState(inLookAround, inLookBehind));
        return opened.size();
    }

    void close(int number) {
        opened.get(number - 1).complete = true;
    }

    /** Records that an alternative begins: groups of the others have no text in it. */
    void beginAlternative(GroupMark disjunction) {
        since(disjunction).forEach(group -> group.inOtherAlternative = true);
    }

    /** Records that a disjunction of several alternatives ends. */
    void endAlternatives(GroupMark disjunction) {
        since(disjunction).forEach(group -> {
            group.inOtherAlternative = false;
            group.optional = true;
        });
    }

    /** Records that a negative look-around ends: its groups have no text behind it. */
    void endNegation(GroupMark lookAround) {
        since(lookAround).forEach(group -> group.inNegation = true);
    }

    /**
     * Records that a part is repeated. ECMA-262 clears its groups before each turn, Java does not. Throws if the part
     * has a reference for which this matters.
     */
    void repeat(GroupMark part, int min, int max) {
        if (max > 1) {
            List<Integer> references = optionalReferences.subList(part.references(), optionalReferences.size());
            if (references.stream().anyMatch(number -> number > part.opened())) {
                throw unsupportedReference();
            }
            since(part).forEach(group -> group.repeated = true);
        }
        if (min == 0) {
            since(part).forEach(group -> group.optional = true);
        }
    }

    /** Whether a group begins and ends before the place that was read last, and may have a text there. */
    boolean isComplete(int number) {
        if (number > opened.size()) {
            return false;
        }
        GroupState group = opened.get(number - 1);
        return group.complete && !group.inOtherAlternative && !group.inNegation;
    }

    /** Records a reference to a complete group. Throws if the group could have a text in Java that it must not have. */
    void refer(int number) {
        GroupState group = opened.get(number - 1);
        if (group.inLookBehind) {
            throw InvalidPatternException.unsupported("a back reference means a group of a look-behind");
        }
        if (group.repeated || (group.inLookAround && group.optional)) {
            throw unsupportedReference();
        }
        if (group.optional) {
            optionalReferences.add(number);
        }
    }

    private static InvalidPatternException unsupportedReference() {
        return InvalidPatternException.unsupported(
                "a back reference means a group of a repetition, or an optional group of a look-around");
    }
}
