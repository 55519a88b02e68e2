package org.sallyport.sandbox.source;

import java.util.List;

/** Shows the lines of a text around a place, with a marker under it. */
final class CodeFrame {
    private static final int AROUND = 2;
    private static final int WIDTH = 120;

    private CodeFrame() {}

    static String around(String code, Place place) {
        if (!place.known()) {
            return "";
        }
        List<String> lines = code.lines().toList();
        int from = Math.max(1, place.line() - AROUND);
        int to = Math.min(lines.size(), place.line() + AROUND);
        int digits = Integer.toString(to).length();
        // Long lines are shown from near the place on, so that the marker stays in view.
        int skipped = Math.max(0, place.column() - WIDTH * 2 / 3);
        StringBuilder frame = new StringBuilder();
        for (int number = from; number <= to; number++) {
            boolean marked = number == place.line();
            frame.append(marked ? "> " : "  ")
                    .append(" ".repeat(digits - Integer.toString(number).length()));
            frame.append(number)
                    .append(" | ")
                    .append(cut(lines.get(number - 1), skipped))
                    .append('\n');
            if (marked) {
                frame.append(" ".repeat(digits + 2)).append(" | ");
                frame.append(" ".repeat(Math.max(0, place.column() - 1 - skipped)))
                        .append("^\n");
            }
        }
        return frame.toString();
    }

    private static String cut(String line, int skipped) {
        String rest = line.substring(Math.min(skipped, line.length())).replace('\t', ' ');
        return rest.length() <= WIDTH ? rest : rest.substring(0, WIDTH) + "…";
    }
}
