package org.sallyport.bench.report;

import java.util.ArrayList;
import java.util.List;

/** Formats lines of cells as a table. Each column is as wide as its widest cell. */
final class TextTable {
    private static final String GAP = "  ";

    private final List<List<String>> lines = new ArrayList<>();
    private final String alignments;

    /**
     * @param alignments a letter for each column: {@code l} or {@code r}
     */
    TextTable(String alignments, String... headings) {
        this.alignments = alignments;
        lines.add(List.of(headings));
    }

    void addLine(String... cells) {
        if (cells.length != alignments.length()) {
            throw new IllegalArgumentException(cells.length + " cells for " + alignments.length() + " columns");
        }
        lines.add(List.of(cells));
    }

    /** Returns the table with a rule below the headings. Each line ends with a line break. */
    String format() {
        int[] widths = new int[alignments.length()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines.size(); i++) {
            appendLine(text, lines.get(i), widths);
            if (i == 0) {
                appendLine(text, rule(widths), widths);
            }
        }
        return text.toString();
    }

    private static List<String> rule(int[] widths) {
        List<String> rule = new ArrayList<>();
        for (int width : widths) {
            rule.add("-".repeat(width));
        }
        return rule;
    }

    private void appendLine(StringBuilder text, List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = cells.get(i);
            String blanks = " ".repeat(widths[i] - cell.length());
            line.append(alignments.charAt(i) == 'r' ? blanks + cell : cell + blanks)
                    .append(GAP);
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }
}
