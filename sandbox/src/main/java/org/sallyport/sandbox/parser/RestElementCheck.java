package org.sallyport.sandbox.parser;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;

/** Finds a comma after the rest element of an object pattern, which the native compiler and the engine accept. */
final class RestElementCheck {
    /** Matches, in linear time, wherever a comma may be the last token of a pattern; a comment may follow it. */
    private static final Pattern LAST_COMMA = Pattern.compile(",[\\s\\p{Z}\\ufeff]*+[}/]");

    private RestElementCheck() {}

    /** Returns whether {@code code} may have such a comma. */
    static boolean isCandidate(String code) {
        return code.contains("...") && LAST_COMMA.matcher(code).find();
    }

    /** Returns the error for the first such comma, or empty. */
    static Optional<SyntaxError> check(SyntaxTree tree) {
        return tree.restElements().stream()
                .map(tree::end)
                .map(end -> nextToken(tree.text(), end))
                .filter(next -> tree.text().startsWith(",", next))
                .min(Comparator.naturalOrder())
                .map(comma -> new SyntaxError(
                        "SyntaxError: Rest element must be last element; remove the comma after it",
                        new LineIndex(tree.text()).positionAt(comma)));
    }

    /** Returns the offset of the token after a rest element, which may stand in parentheses. */
    private static int nextToken(String code, int end) {
        int next = Whitespace.skip(code, end);
        while (code.startsWith(")", next)) {
            next = Whitespace.skip(code, next + 1);
        }
        return next;
    }
}
