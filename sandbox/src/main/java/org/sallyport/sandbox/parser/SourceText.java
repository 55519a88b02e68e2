package org.sallyport.sandbox.parser;

import java.util.Optional;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;

/**
 * A script without its surroundings: a Markdown fence with the prose around it, a byte order mark, the {@code #!} of a
 * first line, and lone carriage returns. All of these are overwritten in place, so that every offset, line and column
 * equals the author's.
 *
 * @param code has the same length as the author's text
 * @param language language of the fence, else the language given by the submitter
 */
public record SourceText(String code, SourceLanguage language) {

    /**
     * Returns the text that is most likely the script.
     *
     * @throws InvalidScriptException when there is no code block to run, or more than one
     */
    public static SourceText of(Script script) throws InvalidScriptException {
        Optional<MarkdownFence> fence = MarkdownFence.find(script);
        return fence.isPresent() ? fence.get().content() : unfenced(script);
    }

    /**
     * Returns the text of a script that was found to be valid.
     *
     * @param fenced whether the text as it stands is no valid script, but the content of its code fence is
     */
    public static SourceText ofValid(Script script, boolean fenced) throws InvalidScriptException {
        Optional<MarkdownFence> fence = MarkdownFence.find(script);
        boolean inFence = fence.isPresent() && (fenced || fence.get().certain());
        return inFence ? fence.get().content() : unfenced(script);
    }

    /** Returns the same text in another language. */
    SourceText withLanguage(SourceLanguage other) {
        return new SourceText(code, other);
    }

    /** Returns the text of the script if it does not depend on whether a text is valid, else empty. */
    public static Optional<SourceText> onlyCandidate(Script script) {
        Optional<MarkdownFence> fence = MarkdownFence.find(script);
        if (fence.isEmpty()) {
            return Optional.of(unfenced(script));
        }
        try {
            return fence.get().certain() ? Optional.of(fence.get().content()) : Optional.empty();
        } catch (InvalidScriptException noScript) {
            return Optional.empty();
        }
    }

    /** Returns the text as it stands, without a fence. */
    static SourceText unfenced(Script script) {
        return new SourceText(normalizeText(script.code(), 0), script.language());
    }

    /** Overwrites a byte order mark and {@code #!} at {@code start}, and lone carriage returns. */
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
                // To the language both are line ends, but tools that count lines differ.
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
