package org.sallyport.sandbox.source;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * The words and signs of a script in turn, without its comments, regular expressions and the text of its literals. Made for
 * counting: it takes what is no script too, and where only a parser could tell a division from a regular expression, it guesses.
 */
final class Lexemes {
    /** What stands for a literal of any kind. */
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
    private static final Set<String> HEADS = Set.of("if", "for", "while", "with");
    private static final int LONGEST_WORD = 10;
    private static final String TEMPLATE = "`";

    private final String code;
    /** For each open bracket the word before it, or what stands for a template. */
    private final Deque<String> brackets = new ArrayDeque<>();

    private String last = "";
    private String closed = "";
    private int at;
    private int begin;

    Lexemes(String code) {
        this.code = code;
    }

    /** The next word or sign; a name longer than any word of the language is given as {@code x}, the end as "". */
    String next() {
        String found = found();
        if (found.equals("(") || found.equals("[") || found.equals("{") || found.equals("${")) {
            brackets.push(found.equals("${") ? TEMPLATE : last);
        } else if (found.equals(")") || found.equals("]") || found.equals("}")) {
            closed = brackets.isEmpty() ? "" : brackets.pop();
        }
        last = found;
        return found;
    }

    /** The author's own text of what {@link #next} gave last. */
    String text() {
        return code.substring(begin, at);
    }

    /** Where that begins. */
    int begin() {
        return begin;
    }

    private String found() {
        while (at < code.length()) {
            begin = at;
            char c = code.charAt(at);
            if (Character.isJavaIdentifierPart(c) || c == '#' || c == '\\') {
                return word();
            }
            at++;
            switch (c) {
                case '"', '\'' -> {
                    text(c);
                    return LITERAL;
                }
                case '`' -> {
                    return template();
                }
                case '}' -> {
                    // In a template its text goes on, maybe to its next expression: as deep as before.
                    if (TEMPLATE.equals(brackets.peek()) && template().equals("${")) {
                        continue;
                    }
                    return "}";
                }
                case '/' -> {
                    if (!comment() && expressionBegins() && regularExpression()) {
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
        begin = at;
        return "";
    }

    private String word() {
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
        return at - start > LONGEST_WORD ? "x" : code.substring(start, at);
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

    /** Skips the text of a template: {@code ${} where an expression begins, {@link #LITERAL} at its end. */
    private String template() {
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

    /** Skips a comment, whose first stroke was taken. */
    private boolean comment() {
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

    private boolean expressionBegins() {
        if (last.equals(")")) {
            return HEADS.contains(closed);
        }
        if (last.equals("]") || last.equals("}")) {
            return false;
        }
        boolean word = !last.isEmpty() && Character.isJavaIdentifierPart(last.charAt(0));
        return !word || BEFORE_EXPRESSION.contains(last);
    }

    /** Skips a regular expression, whose first stroke was taken; false when none ends on this line. */
    private boolean regularExpression() {
        boolean set = false;
        for (int i = at; i < code.length() && code.charAt(i) != '\n'; i++) {
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
        return false;
    }
}
