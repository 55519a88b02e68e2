package org.sallyport.sandbox.parser;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * Splits a script into tokens, without comments, regular expressions and the text of its literals. It is made for
 * counting: it accepts invalid scripts too, and it guesses where only a parser could tell a division from a regular
 * expression.
 */
final class ScriptLexer {
    /** The token for a literal of any kind. */
    static final String LITERAL = "0";

    private static final Set<String> BEFORE_EXPRESSION = Set.of(
            "return",
            "typeof",
            "case",
            "in",
            "of",
            "delete",
            "void",
            "throw",
            "new",
            "do",
            "else",
            "instanceof",
            "await",
            "yield");
    private static final Set<String> STATEMENT_HEADS = Set.of("if", "for", "while", "with");
    private static final int MAX_WORD_LENGTH = 10;
    private static final String TEMPLATE = "`";

    private final String code;
    /** For each open bracket the token before it, or the marker of a template. */
    private final Deque<String> brackets = new ArrayDeque<>();

    private String lastToken = "";
    private String beforeClosedBracket = "";
    private int at;
    private int tokenStart;
    /** End of the line in which the last text that is no regular expression begins. */
    private int noRegexBefore;

    ScriptLexer(String code) {
        this.code = code;
    }

    /** Returns the next token; a name longer than any keyword is returned as {@code x}, the end as "". */
    String next() {
        String found = scan();
        if (found.equals("(") || found.equals("[") || found.equals("{") || found.equals("${")) {
            brackets.push(found.equals("${") ? TEMPLATE : lastToken);
        } else if (found.equals(")") || found.equals("]") || found.equals("}")) {
            beforeClosedBracket = brackets.isEmpty() ? "" : brackets.pop();
        }
        lastToken = found;
        return found;
    }

    /** Returns the author's own text of the last token. */
    String text() {
        // A literal that the text ends within, after a backslash, is scanned to one character behind the end.
        return code.substring(tokenStart, Math.min(at, code.length()));
    }

    /** Returns the start offset of the last token. */
    int tokenStart() {
        return tokenStart;
    }

    private String scan() {
        while (at < code.length()) {
            tokenStart = at;
            char c = code.charAt(at);
            if (Character.isJavaIdentifierPart(c) || c == '#' || c == '\\') {
                return scanWord();
            }
            at++;
            switch (c) {
                case '"', '\'' -> {
                    text(c);
                    return LITERAL;
                }
                case '`' -> {
                    return skipTemplate();
                }
                case '}' -> {
                    // In a template its text continues, possibly to its next expression, at the same depth.
                    if (TEMPLATE.equals(brackets.peek()) && skipTemplate().equals("${")) {
                        continue;
                    }
                    return "}";
                }
                case '/' -> {
                    if (!skipComment() && startsExpression() && skipRegex()) {
                        return LITERAL;
                    }
                }
                case '=' -> {
                    if (at < code.length() && code.charAt(at) == '>') {
                        at++;
                        return "=>";
                    }
                    return "=";
                }
                default -> {
                    if (c > ' ') {
                        return String.valueOf(c);
                    }
                }
            }
        }
        tokenStart = at;
        return "";
    }

    private String scanWord() {
        int start = at;
        while (at < code.length()
                && (Character.isJavaIdentifierPart(code.charAt(at))
                        || code.charAt(at) == '#'
                        || code.charAt(at) == '\\')) {
            at++;
        }
        char first = code.charAt(start);
        if (first >= '0' && first <= '9') {
            return LITERAL;
        }
        return at - start > MAX_WORD_LENGTH ? "x" : code.substring(start, at);
    }

    private void text(char quote) {
        while (at < code.length()) {
            char c = code.charAt(at++);
            if (c == quote || c == '\n') {
                return;
            }
            if (c == '\\') {
                at++;
            }
        }
    }

    /** Skips the text of a template. Returns "$" with "{" where an expression begins, {@link #LITERAL} at its end. */
    private String skipTemplate() {
        while (at < code.length()) {
            char c = code.charAt(at++);
            if (c == '`') {
                return LITERAL;
            }
            if (c == '$' && at < code.length() && code.charAt(at) == '{') {
                at++;
                return "${";
            }
            if (c == '\\') {
                at++;
            }
        }
        return LITERAL;
    }

    /** Skips a comment whose first slash is already consumed; returns false if it is not a comment. */
    private boolean skipComment() {
        if (at >= code.length()) {
            return false;
        }
        int end;
        if (code.charAt(at) == '/') {
            end = code.indexOf('\n', at);
        } else if (code.charAt(at) == '*') {
            end = code.indexOf("*/", at + 1);
        } else {
            return false;
        }
        at = end < 0 ? code.length() : end;
        if (end >= 0 && code.charAt(end) == '*') {
            at = end + 2;
        }
        return true;
    }

    private boolean startsExpression() {
        if (lastToken.equals(")")) {
            return STATEMENT_HEADS.contains(beforeClosedBracket);
        }
        if (lastToken.equals("]") || lastToken.equals("}")) {
            return false;
        }
        boolean word = !lastToken.isEmpty() && Character.isJavaIdentifierPart(lastToken.charAt(0));
        return !word || BEFORE_EXPRESSION.contains(lastToken);
    }

    /**
     * Skips a regular expression whose first slash is already consumed; returns false when it does not end on this
     * line. Then no other begins on the line, so that the time is linear in the length of the line.
     */
    private boolean skipRegex() {
        if (at < noRegexBefore) {
            return false;
        }
        boolean set = false;
        int i = at;
        for (; i < code.length() && code.charAt(i) != '\n'; i++) {
            char c = code.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '[') {
                set = true;
            } else if (c == ']') {
                set = false;
            } else if (c == '/' && !set) {
                at = i + 1;
                return true;
            }
        }
        noRegexBefore = i;
        return false;
    }
}
