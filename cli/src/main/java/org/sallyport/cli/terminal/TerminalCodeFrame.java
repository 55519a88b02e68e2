package org.sallyport.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** Shows a position in source code: the position marked, with the lines around it. */
public final class TerminalCodeFrame {
    private static final int CONTEXT_LINES = 2;
    private static final int MAX_LINE_LENGTH = 160;

    private TerminalCodeFrame() {}

    /**
     * Returns the lines around a position, each with its number; none if the source has no such line.
     *
     * @param line from 1
     * @param column from 1; 0 marks the line only
     */
    public static List<String> lines(String source, long line, long column) {
        String[] all = source.split("\r\n|\r|\n", -1);
        if (line < 1 || line > all.length) {
            return List.of();
        }
        int last = (int) Math.min(all.length, line + CONTEXT_LINES);
        int digits = Integer.toString(last).length();
        List<String> frame = new ArrayList<>();
        for (int number = (int) Math.max(1, line - CONTEXT_LINES); number <= last; number++) {
            boolean here = number == line;
            String text = truncate(all[number - 1]);
            frame.add((here ? "> " : "  ")
                    + " ".repeat(digits - Integer.toString(number).length()) + number + " | "
                    + TerminalTextEscaper.escapeText(text));
            if (here && column > 0 && column <= text.length() + 1L) {
                frame.add("  " + " ".repeat(digits) + " | " + paddingBefore(text, (int) column - 1) + "^");
            }
        }
        return frame;
    }

    private static String truncate(String text) {
        return text.length() <= MAX_LINE_LENGTH ? text : text.substring(0, MAX_LINE_LENGTH);
    }

    /** Returns blanks as wide as the shown text before the position. Tabs stay tabs; escapes keep their length. */
    private static String paddingBefore(String text, int index) {
        return TerminalTextEscaper.escapeText(text.substring(0, index)).replaceAll("[^\t]", " ");
    }
}
