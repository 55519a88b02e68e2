package org.sallyport.script;

import java.util.ArrayList;
import java.util.List;

/** What the author of a script says first. */
public final class ScriptDescription {
    private ScriptDescription() {}

    /** The words of the comment that {@code code} begins with, at most so many characters; empty when it begins otherwise. */
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
