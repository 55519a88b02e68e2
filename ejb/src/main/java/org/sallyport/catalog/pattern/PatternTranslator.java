package org.sallyport.catalog.pattern;

import java.util.Optional;
import org.sallyport.catalog.pattern.CaptureGroups.GroupMark;

/**
 * Translates one pattern in one mode. Groups become groups of Java that do not capture, unless the pattern refers to
 * groups. In that case each becomes two: an empty one, which tells whether the group took part, and the group itself.
 */
final class PatternTranslator {
    private static final int MAX_DEPTH = 100;
    private static final long MAX_EMPTY_PATHS = 10_000;

    /** Java counts the characters that a pattern needs in an int, which must not overflow. */
    private static final long MAX_MIN_LENGTH = 1 << 24;

    /**
     * Replaces a missing upper bound within a look-behind, for which Java needs one. A text that is longer exceeds the
     * bound on character reads first.
     */
    private static final int MAX_LOOK_BEHIND = 1 << 20;

    /**
     * Matches the empty text. Java counts the places of a look-behind in code points only if a character beyond the
     * first plane is written behind its beginning.
     */
    private static final String COUNT_CODE_POINTS = "(?!(?!)" + Character.toString(0x10000) + ")";

    private static final String WORD = CodePointRanges.WORD.toJava();
    private static final String BOUNDARY = "(?:(?<=%1$s)(?!%1$s)|(?<!%1$s)(?=%1$s))".formatted(WORD);
    private static final String NO_BOUNDARY = "(?:(?<=%1$s)(?=%1$s)|(?<!%1$s)(?!%1$s))".formatted(WORD);
    private static final String NO_LINE_END =
            CodePointRanges.LINE_ENDS.complement().toJava();

    private final PatternCursor cursor;
    private final boolean unicode;
    private final CaptureGroups groups;
    private final CharacterEscapes escapes;
    private final CharacterClassReader classes;
    private int depth;
    private int lookArounds;
    private int lookBehinds;

    PatternTranslator(String pattern, boolean unicode) {
        this.cursor = new PatternCursor(pattern);
        this.unicode = unicode;
        this.groups = new CaptureGroups(pattern);
        this.escapes = new CharacterEscapes(cursor, unicode);
        this.classes = new CharacterClassReader(cursor, unicode, escapes);
    }

    EcmaScriptPattern translate() {
        PatternPart whole = readDisjunction();
        if (cursor.peek() != PatternCursor.END) {
            throw cursor.error("a parenthesis is closed that was not opened");
        }
        if (whole.workPaths() > MAX_EMPTY_PATHS) {
            throw InvalidPatternException.unsupported("it can match the empty text in too many ways");
        }
        return new EcmaScriptPattern(whole.text(), whole.workPaths());
    }

    private PatternPart readDisjunction() {
        if (++depth > MAX_DEPTH) {
            throw InvalidPatternException.unsupported("its groups are nested deeper than " + MAX_DEPTH + " levels");
        }
        GroupMark start = groups.mark();
        PatternPart all = readAlternative();
        StringBuilder text = new StringBuilder(all.text());
        boolean single = cursor.peek() != '|';
        while (cursor.accept('|')) {
            groups.beginAlternative(start);
            PatternPart next = readAlternative();
            text.append('|').append(next.text());
            all = all.or(next);
        }
        if (!single) {
            groups.endAlternatives(start);
        }
        depth--;
        return all.withText(text.toString());
    }

    private PatternPart readAlternative() {
        PatternPart all = PatternPart.EMPTY;
        StringBuilder text = new StringBuilder();
        while (cursor.peek() != PatternCursor.END && cursor.peek() != '|' && cursor.peek() != ')') {
            PatternPart next = readTerm();
            text.append(next.text());
            all = all.then(next);
            if (all.minLength() > MAX_MIN_LENGTH) {
                throw InvalidPatternException.unsupported(
                        "it needs a text of more than " + MAX_MIN_LENGTH + " characters");
            }
        }
        return all.withText(text.toString());
    }

    private PatternPart readTerm() {
        GroupMark start = groups.mark();
        Optional<PatternPart> assertion = readAssertion(start);
        return assertion.isPresent() ? assertion.get() : readQuantifier(readAtom(), start);
    }

    /**
     * Reads a part that is followed by no quantifier, or a look-ahead.
     *
     * @param start the place before it
     */
    private Optional<PatternPart> readAssertion(GroupMark start) {
        if (cursor.accept('^')) {
            return Optional.of(PatternPart.assertion("^"));
        }
        if (cursor.accept('$')) {
            return Optional.of(PatternPart.assertion("\\z"));
        }
        if (cursor.accept("\\b")) {
            return Optional.of(PatternPart.assertion(BOUNDARY));
        }
        if (cursor.accept("\\B")) {
            return Optional.of(PatternPart.assertion(NO_BOUNDARY));
        }
        if (cursor.accept("(?<=")) {
            return Optional.of(readLookBehind("(?<=", start));
        }
        if (cursor.accept("(?<!")) {
            return Optional.of(readLookBehind("(?<!", start));
        }
        if (cursor.accept("(?=")) {
            return Optional.of(readLookAhead("(?=", start));
        }
        return cursor.accept("(?!") ? Optional.of(readLookAhead("(?!", start)) : Optional.empty();
    }

    private PatternPart readLookBehind(String opening, GroupMark start) {
        lookBehinds++;
        PatternPart inner = readLookAround(opening, start);
        lookBehinds--;
        if (inner.maxLength() > Integer.MAX_VALUE) {
            throw InvalidPatternException.unsupported("a look-behind repeats a repetition");
        }
        return lookAround(opening, inner.withText("(?:" + inner.text() + ")" + COUNT_CODE_POINTS));
    }

    private PatternPart readLookAhead(String opening, GroupMark start) {
        PatternPart whole = lookAround(opening, readLookAround(opening, start));
        return unicode ? whole : readQuantifier(whole.withText("(?:" + whole.text() + ")"), start);
    }

    /** Groups of a negative look-around have no text behind it. */
    private PatternPart readLookAround(String opening, GroupMark start) {
        lookArounds++;
        PatternPart inner = readDisjunction();
        closeGroup();
        lookArounds--;
        if (opening.endsWith("!")) {
            groups.endNegation(start);
        }
        return inner;
    }

    private static PatternPart lookAround(String opening, PatternPart inner) {
        return new PatternPart(opening + inner.text() + ")", 1, inner.workPaths(), 0, 0);
    }

    private void closeGroup() {
        if (!cursor.accept(')')) {
            throw cursor.error("a parenthesis is not closed");
        }
    }

    private PatternPart readAtom() {
        int next = cursor.next();
        return switch (next) {
            case '.' -> PatternPart.character(NO_LINE_END);
            case '(' -> readGroup();
            case '[' -> PatternPart.character(classes.read());
            case '\\' -> readEscape();
            case '*', '+', '?' -> throw nothingToRepeat();
            case '{', '}', ']' -> readBracket(next);
            default -> PatternPart.character(CodePointRanges.literal(next));
        };
    }

    private InvalidPatternException nothingToRepeat() {
        return cursor.error("there is nothing that a quantifier can repeat");
    }

    /** In Unicode mode brackets must be escaped; otherwise they are characters unless they form a quantifier. */
    private PatternPart readBracket(int bracket) {
        if (unicode) {
            throw cursor.error("a bracket is neither escaped nor part of a pair");
        }
        if (bracket == '{') {
            int position = cursor.position();
            cursor.setPosition(position - 1);
            if (readRange().isPresent()) {
                throw nothingToRepeat();
            }
            cursor.setPosition(position);
        }
        return PatternPart.character(CodePointRanges.literal(bracket));
    }

    private PatternPart readGroup() {
        if (cursor.accept("?:")) {
            PatternPart inner = readDisjunction();
            closeGroup();
            return inner.withText("(?:" + inner.text() + ")");
        }
        if (cursor.accept("?<")) {
            CaptureGroups.readName(cursor);
        } else if (cursor.peek() == '?') {
            String kind = cursor.peek(1) == PatternCursor.END ? "" : Character.toString(cursor.peek(1));
            throw InvalidPatternException.unsupported("'(?" + kind + "' begins no group that is supported");
        }
        int number = groups.open(lookArounds > 0, lookBehinds > 0);
        PatternPart inner = readDisjunction();
        closeGroup();
        groups.close(number);
        return inner.withText(groups.isReferenced() ? "(?:()(" + inner.text() + "))" : "(?:" + inner.text() + ")");
    }

    private PatternPart readEscape() {
        Optional<ClassEscape> set = escapes.readClass();
        if (set.isPresent()) {
            return PatternPart.character(set.get().toJava(false));
        }
        if (cursor.peek() == 'k' && (unicode || groups.hasNames())) {
            cursor.next();
            if (!cursor.accept('<')) {
                throw cursor.error("\\k is not followed by the name of a group");
            }
            return reference(groups.number(CaptureGroups.readName(cursor), cursor));
        }
        int position = cursor.position();
        int number = cursor.peek() == '0' ? PatternCursor.END : cursor.decimalDigits();
        if (number != PatternCursor.END) {
            if (number <= groups.count()) {
                return reference(number);
            }
            if (unicode) {
                throw cursor.error("a reference names a group that does not exist");
            }
            cursor.setPosition(position);
        }
        return PatternPart.character(CodePointRanges.literal(escapes.readCodePoint()));
    }

    /** A group that did not take part, or has not ended, matches the empty text; in Java it matches nothing. */
    private PatternPart reference(int group) {
        if (lookBehinds > 0) {
            throw InvalidPatternException.unsupported("a look-behind has a back reference");
        }
        if (!groups.isComplete(group)) {
            return PatternPart.assertion("(?:)");
        }
        groups.refer(group);
        String text = "(?:\\" + 2 * group + "|(?!\\" + (2 * group - 1) + "))";
        return new PatternPart(text, 1, 1, 0, PatternPart.UNBOUNDED);
    }

    /** The numbers of a quantifier; {@code max} is {@link Integer#MAX_VALUE} if there is no bound. */
    private record RepetitionRange(int min, int max) {
        String toJava() {
            return "{" + min + (max == Integer.MAX_VALUE ? ",}" : "," + max + "}");
        }
    }

    private PatternPart readQuantifier(PatternPart atom, GroupMark start) {
        Optional<RepetitionRange> found = readRange();
        if (found.isEmpty()) {
            return atom;
        }
        RepetitionRange range = found.get();
        if (range.min() > range.max()) {
            throw cursor.error("the numbers of a quantifier are out of order");
        }
        groups.repeat(start, range.min(), range.max());
        if (lookBehinds > 0 && range.max() == Integer.MAX_VALUE) {
            range = new RepetitionRange(range.min(), Math.max(range.min(), MAX_LOOK_BEHIND));
        }
        String lazy = cursor.accept('?') ? "?" : "";
        return atom.repeated(atom.text() + range.toJava() + lazy, range.min(), range.max());
    }

    /** Reads a quantifier; reads nothing if there is none. */
    private Optional<RepetitionRange> readRange() {
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
