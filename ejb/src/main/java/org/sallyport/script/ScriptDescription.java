package org.sallyport.script;

import java.util.ArrayList;
import java.util.List;

/** Extracts the description of a script from its first comment. */
public final class ScriptDescription {
    private ScriptDescription() {}

    /**
     * Returns the text of the comment at the beginning of {@code code}, at most {@code longest} characters; empty when
     * it does not begin with a comment.
     */
    public static String of(String code, int longest) {
        List<String> words = new ArrayList<>();
        boolean block = false;
        for (String line : (Iterable<String>) code.stripLeading().lines()::iterator) {
            String text = line.strip();
            if (!block && text.startsWith("//")) {
                words.add(text.substring(2).strip());
            } else if (block || words.isEmpty() && text.startsWith("/*")) {
                int end = text.indexOf("*/");
                words.add(inBlock(end < 0 ? text : text.substring(0, end)));
                block = end < 0;
                if (!block) {
                    break;
                }
            } else {
                break;
            }
        }
        String all = String.join("\n", words).strip();
        return all.length() <= longest ? all : all.substring(0, longest);
    }

    private static String inBlock(String line) {
        return line.replaceFirst("^/?\\*+", "").strip();
    }
}
