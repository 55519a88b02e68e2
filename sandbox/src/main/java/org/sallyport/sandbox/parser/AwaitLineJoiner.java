package org.sallyport.sandbox.parser;

import java.util.regex.Pattern;

/**
 * Joins an {@code await} at the end of a line to its operand. Outside of functions the native parser takes such an
 * {@code await} for a name and ends the statement there; the engine does not.
 */
final class AwaitLineJoiner {
    private static final String AWAIT = "await";
    /** Matches wherever a line end may follow, also in a comment. */
    private static final Pattern BEFORE_LINE_END =
            Pattern.compile("await[\\t\\x0b\\f\\p{Zs}\\ufeff]*+[\\r\\n\\u2028\\u2029/]");

    private AwaitLineJoiner() {}

    /** Returns whether {@code code} may contain an {@code await} at the end of a line. */
    static boolean isCandidate(String code) {
        return BEFORE_LINE_END.matcher(code).find();
    }

    static TextEdits.TextEditResult join(SyntaxTree tree) {
        TextEdits edits = new TextEdits(tree.text());
        for (int at : tree.mentions(AWAIT)) {
            int end = at + AWAIT.length();
            if (tree.text().startsWith(AWAIT, at) && endsLine(tree.text(), end)) {
                edits.replace(end, Whitespace.skip(tree.text(), end), " ");
            }
        }
        return edits.applyWithin("", "");
    }

    private static boolean endsLine(String code, int end) {
        int next = Whitespace.skip(code, end);
        return code.substring(end, next)
                .chars()
                .anyMatch(at -> at == '\n' || at == '\r' || at == '\u2028' || at == '\u2029');
    }
}
