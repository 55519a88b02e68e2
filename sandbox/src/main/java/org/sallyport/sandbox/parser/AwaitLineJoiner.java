package org.sallyport.sandbox.parser;

/**
 * Joins an {@code await} at the end of a line to its operand. Outside of functions the native parser takes such an
 * {@code await} for a name and ends the statement there; the engine does not.
 */
final class AwaitLineJoiner {
    private static final String AWAIT = "await";

    private AwaitLineJoiner() {}

    /** Returns whether {@code code} may contain an {@code await} at the end of a line. */
    static boolean isCandidate(String code) {
        for (int at = code.indexOf(AWAIT); at >= 0; at = code.indexOf(AWAIT, at + 1)) {
            if (endsLine(code, at + AWAIT.length())) {
                return true;
            }
        }
        return false;
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
