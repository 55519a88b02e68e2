package org.sallyport.sandbox.directcall;

import org.sallyport.sandbox.directcall.ScriptToken.ScriptTokenType;
import org.sallyport.sandbox.directcall.ScriptToken.TokenGap;

/**
 * Splits a script into tokens (ECMA-262, chapter 12), as far as the small grammar needs them: names of ASCII letters
 * without escapes, strings, templates without substitutions, numbers, signs. All other tokens are {@link
 * ScriptTokenType#UNKNOWN}, which no rule accepts.
 */
final class Tokenizer {
    private static final String PLAIN_BLANKS = " \t\r\n";
    private static final String SIGNS = ".()[]{},:;=-<>|&?";

    private final String code;
    private int at;
    private boolean newLine;
    private TokenGap gap = TokenGap.PLAIN;

    Tokenizer(String code) {
        this.code = code;
    }

    /** Returns the next token. */
    ScriptToken next() {
        newLine = false;
        gap = TokenGap.PLAIN;
        if (!skipBlanks()) {
            return newToken(ScriptTokenType.UNKNOWN, "", at);
        }
        int start = at;
        if (at == code.length()) {
            return newToken(ScriptTokenType.END, "", start);
        }
        char first = code.charAt(at);
        if (isNameStart(first)) {
            return scanName(start);
        }
        if (isDigit(first) || (first == '.' && at + 1 < code.length() && isDigit(code.charAt(at + 1)))) {
            NumberLiteral literal = NumberLiteral.parse(code, at);
            at = literal.endOffset();
            boolean plain = literal.valid() && (at == code.length() || !isNamePart(code.charAt(at)));
            return plain
                    ? new ScriptToken(ScriptTokenType.NUMBER, "", literal.value(), start, newLine, gap)
                    : newToken(ScriptTokenType.UNKNOWN, "", start);
        }
        if (first == '"' || first == '\'' || first == '`') {
            StringLiteral literal = StringLiteral.parse(code, at);
            at = literal.endOffset();
            ScriptTokenType kind = first == '`' ? ScriptTokenType.TEMPLATE : ScriptTokenType.STRING;
            return newToken(literal.valid() ? kind : ScriptTokenType.UNKNOWN, literal.value(), start);
        }
        at++;
        return newToken(
                SIGNS.indexOf(first) < 0 ? ScriptTokenType.UNKNOWN : ScriptTokenType.SIGN,
                String.valueOf(first),
                start);
    }

    private ScriptToken scanName(int start) {
        while (at < code.length() && isNamePart(code.charAt(at))) {
            at++;
        }
        boolean plain = at == code.length() || (code.charAt(at) != '\\' && code.charAt(at) < 0x80);
        return newToken(
                plain || isBlank(code.charAt(at)) ? ScriptTokenType.NAME : ScriptTokenType.UNKNOWN,
                code.substring(start, at),
                start);
    }

    private ScriptToken newToken(ScriptTokenType kind, String text, int start) {
        return new ScriptToken(kind, text, 0, start, newLine, gap);
    }

    /** Skips whitespace and comments; returns false when a comment does not end. */
    private boolean skipBlanks() {
        while (at < code.length()) {
            char next = code.charAt(at);
            if (isBlank(next)) {
                newLine |= isLineEnd(next);
                gap = PLAIN_BLANKS.indexOf(next) < 0 ? TokenGap.OTHER : gap;
                at++;
            } else if (code.startsWith("//", at)) {
                gap = TokenGap.OTHER;
                while (at < code.length() && !isLineEnd(code.charAt(at))) {
                    at++;
                }
            } else if (code.startsWith("/*", at)) {
                if (gap == TokenGap.PLAIN) {
                    gap = TokenGap.BLOCK_COMMENT;
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
