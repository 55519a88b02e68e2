package org.sallyport.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** A table whose columns are as wide as their widest cell. Lines that are too long for a terminal are cut. */
public final class TerminalTable {
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();

    public TerminalTable(String... headings) {
        rows.add(List.of(headings));
    }

    /** Adds a row with as many cells as there are headings. Escapes the cells. */
    public TerminalTable addRow(String... cells) {
        List<String> row = new ArrayList<>();
        for (String cell : cells) {
            row.add(TerminalTextEscaper.escapeLine(cell));
        }
        rows.add(row);
        return this;
    }

    /** Returns the lines, each with at most {@code columns} characters. */
    List<String> lines(int columns) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return rows.stream().map(row -> formatRow(row, widths, columns)).toList();
    }

    private static String formatRow(List<String> row, int[] widths, int columns) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = row.get(i);
            boolean last = i == widths.length - 1;
            line.append(cell).append(last ? "" : " ".repeat(widths[i] - cell.length()) + GAP);
        }
        String whole = line.toString().stripTrailing();
        return whole.length() <= columns ? whole : whole.substring(0, columns - 1) + "~";
    }
}
