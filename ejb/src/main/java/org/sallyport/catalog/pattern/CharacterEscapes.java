package org.sallyport.catalog.pattern;

import java.util.Optional;

/**
 * Reads escapes that have the same meaning within and outside character classes. In Unicode mode an escape without a
 * meaning is an error; otherwise it is the character itself (Annex B of ECMA-262).
 */
final class CharacterEscapes {
    private static final String SYNTAX_CHARACTERS = "^$\\.*+?()[]{}|/";
    private static final int MAX_OCTAL = 0377;

    private final PatternCursor cursor;
    private final boolean unicode;

    CharacterEscapes(PatternCursor cursor, boolean unicode) {
        this.cursor = cursor;
        this.unicode = unicode;
    }

    /** Reads an escape for a class of characters, such as {@code \d}; reads nothing if another one comes next. */
    Optional<ClassEscape> readClass() {
        Optional<ClassEscape> set = switch (cursor.peek()) {
            case 'd' -> Optional.of(ClassEscape.of(CodePointRanges.DIGITS));
            case 'D' -> Optional.of(ClassEscape.of(CodePointRanges.DIGITS.complement()));
            case 'w' -> Optional.of(ClassEscape.of(CodePointRanges.WORD));
            case 'W' -> Optional.of(ClassEscape.of(CodePointRanges.WORD.complement()));
            case 's' -> Optional.of(ClassEscape.of(CodePointRanges.SPACE));
            case 'S' -> Optional.of(ClassEscape.of(CodePointRanges.SPACE.complement()));
            default -> Optional.empty();
        };
        if (set.isPresent()) {
            cursor.next();
        } else if (unicode && (cursor.peek() == 'p' || cursor.peek() == 'P')) {
            return Optional.of(readProperty(cursor.next() == 'P'));
        }
        return set;
    }

    private ClassEscape readProperty(boolean negated) {
        if (!cursor.accept('{')) {
            throw InvalidPatternException.unsupported("a Unicode property is written \\p{…}, but braces are missing");
        }
        StringBuilder name = new StringBuilder();
        for (int next = cursor.next(); next != '}'; next = cursor.next()) {
            if (next == PatternCursor.END) {
                throw cursor.error("a Unicode property has no end");
            }
            name.appendCodePoint(next);
        }
        return UnicodeProperties.find(name.toString(), negated);
    }

    /** Reads an escape, whose backslash was read, for one code point. */
    int readCodePoint() {
        int escape = cursor.next();
        return switch (escape) {
            case PatternCursor.END -> throw cursor.error("a backslash ends the pattern");
            case 't' -> '\t';
            case 'n' -> '\n';
            case 'v' -> 0x0b;
            case 'f' -> '\f';
            case 'r' -> '\r';
            case 'c' -> readControl();
            case 'x' -> readHex();
            case 'u' -> readUnicode();
            case '0', '1', '2', '3', '4', '5', '6', '7' -> readOctal(escape - '0');
            default -> readIdentity(escape);
        };
    }

    private int readControl() {
        if (PatternCursor.isLetter(cursor.peek())) {
            return cursor.next() % 32;
        }
        if (unicode) {
            throw cursor.error("\\c is not followed by a letter");
        }
        // The backslash is a character, and "c" is read once more as the next one.
        cursor.setPosition(cursor.position() - 1);
        return '\\';
    }

    private int readHex() {
        int value = cursor.hexDigits(2);
        if (value == PatternCursor.END && unicode) {
            throw cursor.error("\\x is not followed by two hexadecimal digits");
        }
        return value == PatternCursor.END ? 'x' : value;
    }

    private int readUnicode() {
        if (unicode && cursor.accept('{')) {
            return readBraces();
        }
        int value = cursor.hexDigits(4);
        if (value == PatternCursor.END) {
            if (unicode) {
                throw cursor.error("\\u is not followed by four hexadecimal digits");
            }
            return 'u';
        }
        int position = cursor.position();
        if (Character.isHighSurrogate((char) value) && cursor.accept("\\u")) {
            int low = cursor.hexDigits(4);
            if (low != PatternCursor.END && Character.isLowSurrogate((char) low)) {
                return Character.toCodePoint((char) value, (char) low);
            }
            cursor.setPosition(position);
        }
        return value;
    }

    private int readBraces() {
        int value = 0;
        int digits = 0;
        while (!cursor.accept('}')) {
            int digit = PatternCursor.hexDigit(cursor.next());
            if (digit < 0) {
                throw cursor.error("\\u{…} has a character that is no hexadecimal digit");
            }
            value = value * 16 + digit;
            digits++;
            if (value > Character.MAX_CODE_POINT) {
                throw InvalidPatternException.unsupported("\\u{…} is beyond the last code point");
            }
        }
        if (digits == 0) {
            throw cursor.error("\\u{} has no digits");
        }
        return value;
    }

    private int readOctal(int first) {
        if (unicode) {
            if (first != 0 || PatternCursor.isDigit(cursor.peek())) {
                throw cursor.error("an escape with digits is neither \\0 nor a group");
            }
            return 0;
        }
        int value = first;
        while (cursor.peek() >= '0' && cursor.peek() <= '7' && value * 8 + cursor.peek() - '0' <= MAX_OCTAL) {
            value = value * 8 + cursor.next() - '0';
        }
        return value;
    }

    private int readIdentity(int escape) {
        if (unicode && SYNTAX_CHARACTERS.indexOf(escape) < 0) {
            throw cursor.error("the escape \\" + Character.toString(escape) + " has no meaning");
        }
        return escape;
    }
}
