package org.sallyport.submission.rows;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One row of a CSV file below the header. */
public final class CsvRow {
    private final long line;
    private final List<@Nullable String> cells;

    CsvRow(long line, List<@Nullable String> cells) {
        this.line = line;
        this.cells = Collections.unmodifiableList(cells);
    }

    /** The line of the file, from 1, in which the row begins. */
    public long line() {
        return line;
    }

    /** Number of cells. */
    public int size() {
        return cells.size();
    }

    /** The text of a cell; empty if there is nothing between two commas. A quoted empty text is present. */
    public Optional<String> cell(int column) {
        return Optional.ofNullable(cells.get(column));
    }
}
