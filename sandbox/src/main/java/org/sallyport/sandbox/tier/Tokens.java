package org.sallyport.sandbox.tier;

import org.sallyport.sandbox.tier.Token.Gap;
import org.sallyport.sandbox.tier.Token.Kind;

/**
 * Cuts a script into words (ECMA-262, chapter 12), as far as the small grammar goes: names of ASCII letters without escapes,
 * strings, templates without substitutions, numbers, signs. Everything else is {@link Kind#UNKNOWN}, which no rule takes.
 */
final class Tokens {
    private static final String PLAIN_BLANKS = " \t\r\n";
    private static final String SIGNS = ".()[]{},:;=-<>|&?";

    private final String code;
    private int at;
    private boolean newLine;
    private Gap gap = Gap.PLAIN;

    Tokens(String code) {
        this.code = code;
    }

    /** The next word. */
    Token next() {
        newLine = false;
        gap = Gap.PLAIN;
        if (!skipBlanks()) {
            return token(Kind.UNKNOWN, "", at);
        }
        int start = at;
        if (at == code.length()) {
            return token(Kind.END, "", start);
        }
        char first = code.charAt(at);
        if (isNameStart(first)) {
            return name(start);
        }
        if (isDigit(first) || (first == '.' && at + 1 < code.length() && isDigit(code.charAt(at + 1)))) {
            NumberLiteral literal = NumberLiteral.at(code, at);
            at = literal.end();
            boolean plain = literal.valid() && (at == code.length() || !isNamePart(code.charAt(at)));
            return plain
                    ? new Token(Kind.NUMBER, "", literal.value(), start, newLine, gap)
                    : token(Kind.UNKNOWN, "", start);
        }
        if (first == '"' || first == '\'' || first == '`') {
            StringLiteral literal = StringLiteral.at(code, at);
            at = literal.end();
            Kind kind = first == '`' ? Kind.TEMPLATE : Kind.STRING;
            return token(literal.valid() ? kind : Kind.UNKNOWN, literal.value(), start);
        }
        at++;
        return token(SIGNS.indexOf(first) < 0 ? Kind.UNKNOWN : Kind.SIGN, String.valueOf(first), start);
    }

    private Token name(int start) {
        while (at < code.length() && isNamePart(code.charAt(at))) {
            at++;
        }
        boolean plain = at == code.length() || (code.charAt(at) != '\\' && code.charAt(at) < 0x80);
        return token(plain || isBlank(code.charAt(at)) ? Kind.NAME : Kind.UNKNOWN, code.substring(start, at), start);
    }

    private Token token(Kind kind, String text, int start) {
        return new Token(kind, text, 0, start, newLine, gap);
    }

    /** False when a comment does not end. */
    private boolean skipBlanks() {
        while (at < code.length()) {
            char next = code.charAt(at);
            if (isBlank(next)) {
                newLine |= isLineEnd(next);
                gap = PLAIN_BLANKS.indexOf(next) < 0 ? Gap.OTHER : gap;
                at++;
            } else if (code.startsWith("//", at)) {
                gap = Gap.OTHER;
                while (at < code.length() && !isLineEnd(code.charAt(at))) {
                    at++;
                }
            } else if (code.startsWith("/*", at)) {
                if (gap == Gap.PLAIN) {
                    gap = Gap.BLOCK_COMMENT;
                }
                int end = code.indexOf("*/", at + 2);
                if (end < 0) {
                    return false;
                }
                for (int i = at; i < end; i++) {
                    newLine |= isLineEnd(code.charAt(i));
                }
                at = end + 2;
            } else {
                return true;
            }
        }
        return true;
    }

    static boolean isLineEnd(char at) {
        return at == '\n' || at == '\r' || at == '\u2028' || at == '\u2029';
    }

    static boolean isDigit(char at) {
        return at >= '0' && at <= '9';
    }

    private static boolean isBlank(char at) {
        return at == ' '
                || at == '\t'
                || at == '\u000b'
                || at == '\f'
                || at == '\u00a0'
                || at == '\ufeff'
                || isLineEnd(at)
                || (at >= 0x80 && Character.getType(at) == Character.SPACE_SEPARATOR);
    }

    private static boolean isNameStart(char at) {
        return (at >= 'a' && at <= 'z') || (at >= 'A' && at <= 'Z') || at == '_' || at == '$';
    }

    private static boolean isNamePart(char at) {
        return isNameStart(at) || isDigit(at);
    }
}
