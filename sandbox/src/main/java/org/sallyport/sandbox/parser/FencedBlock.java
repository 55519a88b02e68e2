package org.sallyport.sandbox.parser;

import java.util.Locale;
import java.util.Set;

/**
 * A fenced code block of a Markdown text.
 *
 * @param mark the character of the fence: a backtick or a tilde
 * @param indent number of spaces and tabs before the fence
 * @param quotes number of {@code >} before the fence, and so before each line of the content
 * @param info the text after the fence, without blanks around it
 * @param fenceStart offset of the fence
 * @param start start offset of the content
 * @param end end offset of the content
 * @param closed whether the block has a closing fence
 */
record FencedBlock(char mark, int indent, int quotes, String info, int fenceStart, int start, int end, boolean closed) {
    private static final Set<String> JAVASCRIPT_TAGS =
            Set.of("js", "javascript", "mjs", "cjs", "jsx", "node", "ecmascript");
    private static final Set<String> TYPESCRIPT_TAGS = Set.of("ts", "typescript", "mts", "cts", "tsx");
    private static final String JSON_TAG = "json";

    /** Returns the first word of the info, in lower case; empty if there is none. */
    String tag() {
        int length = 0;
        while (length < info.length() && Character.isLetterOrDigit(info.charAt(length))) {
            length++;
        }
        return info.substring(0, length).toLowerCase(Locale.ROOT);
    }

    boolean isScript() {
        return JAVASCRIPT_TAGS.contains(tag()) || isTypeScript();
    }

    boolean isTypeScript() {
        return TYPESCRIPT_TAGS.contains(tag());
    }

    boolean isJson() {
        return tag().equals(JSON_TAG);
    }

    /** Returns whether the info is the name of a language that a script may have, and nothing else. */
    boolean isOnlyTag() {
        return isOnlyTag(info);
    }

    static boolean isOnlyTag(String info) {
        String tag = info.toLowerCase(Locale.ROOT);
        return JAVASCRIPT_TAGS.contains(tag) || TYPESCRIPT_TAGS.contains(tag) || tag.equals(JSON_TAG);
    }
}
