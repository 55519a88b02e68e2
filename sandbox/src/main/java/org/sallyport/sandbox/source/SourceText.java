package org.sallyport.sandbox.source;

import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;

/**
 * A script without what surrounds it: a Markdown fence with the prose before and after it, a byte order mark, the
 * {@code #!} of a first line, carriage returns that stand alone. All of it is overwritten in place, so that every
 * offset, line and column is the author's.
 *
 * @param code as long as the author's text
 * @param language what the fence says, else what the submitter says
 */
public record SourceText(String code, SourceLanguage language) {

    /**
     * The text to read.
     *
     * @throws InvalidScriptException when there is no code block to run, or more than one
     */
    public static SourceText of(Script script) throws InvalidScriptException {
        return MarkdownFence.unwrap(script)
                .orElseGet(() -> new SourceText(normalizeText(script.code(), 0), script.language()));
    }

    /** Without a byte order mark and {@code #!} at {@code start}, and with plain line ends. */
    static String normalizeText(String code, int start) {
        boolean marked = code.startsWith("\ufeff", start);
        int first = marked ? start + 1 : start;
        boolean shebang = code.startsWith("#!", first);
        boolean returns = hasLoneReturn(code);
        if (!marked && !shebang && !returns) {
            return code;
        }
        StringBuilder cleared = new StringBuilder(code);
        if (marked) {
            cleared.setCharAt(start, ' ');
        }
        if (shebang) {
            cleared.replace(first, first + 2, "//");
        }
        for (int at = code.indexOf('\r'); at >= 0; at = code.indexOf('\r', at + 1)) {
            if (at + 1 == code.length() || code.charAt(at + 1) != '\n') {
                // To the language both are one line end; to those who count lines they are not.
                cleared.setCharAt(at, '\n');
            }
        }
        return cleared.toString();
    }

    private static boolean hasLoneReturn(String code) {
        for (int at = code.indexOf('\r'); at >= 0; at = code.indexOf('\r', at + 1)) {
            if (at + 1 == code.length() || code.charAt(at + 1) != '\n') {
                return true;
            }
        }
        return false;
    }
}
