package org.sallyport.sandbox.parser;

import java.util.List;

/** Formats the lines of a text around a position, with a marker under it. */
final class CodeFrameFormatter {
    private static final int CONTEXT_LINES = 2;
    private static final int MAX_LINE_LENGTH = 120;

    private CodeFrameFormatter() {}

    static String format(String code, SourcePosition place) {
        if (!place.isKnown()) {
            return "";
        }
        List<String> lines = code.lines().toList();
        int from = Math.max(1, place.line() - CONTEXT_LINES);
        int to = Math.min(lines.size(), place.line() + CONTEXT_LINES);
        int digits = Integer.toString(to).length();
        // Long lines are cut at the left near the position, so that the marker stays in view.
        int skipped = Math.max(0, place.column() - MAX_LINE_LENGTH * 2 / 3);
        StringBuilder frame = new StringBuilder();
        for (int number = from; number <= to; number++) {
            boolean marked = number == place.line();
            frame.append(marked ? "> " : "  ")
                    .append(" ".repeat(digits - Integer.toString(number).length()));
            frame.append(number)
                    .append(" | ")
                    .append(truncate(lines.get(number - 1), skipped))
                    .append('\n');
            if (marked) {
                frame.append(" ".repeat(digits + 2)).append(" | ");
                frame.append(" ".repeat(Math.max(0, place.column() - 1 - skipped)))
                        .append("^\n");
            }
        }
        return frame.toString();
    }

    private static String truncate(String line, int skipped) {
        String rest = line.substring(Math.min(skipped, line.length())).replace('\t', ' ');
        return rest.length() <= MAX_LINE_LENGTH ? rest : rest.substring(0, MAX_LINE_LENGTH) + "…";
    }
}
