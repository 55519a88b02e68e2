package org.sallyport.submission.rows;

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A CSV file (RFC 4180) in UTF-8 whose first row names the columns. It is read row by row, as often as needed, because
 * it may be too large for memory. Accepts a byte order mark and both kinds of line ends; skips blank lines. Throws
 * {@link MalformedCsvException} if the file cannot be read. Thread-safe.
 */
public final class CsvFile {
    private static final int MAX_COLUMNS = 1_000;
    private static final int MAX_NAME_LENGTH = 200;
    private static final int READ_AHEAD_CHARS = 16 << 10;
    /** For the buffer of a row, its cells and the JSON that is made of them. */
    private static final int BYTES_PER_CHAR = 8;

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final Supplier<InputStream> source;
    private final int maxRowChars;
    private final LongConsumer memory;
    private final List<String> columns;

    /**
     * Reads the header.
     *
     * @param source opens the file at its first byte
     * @param maxRowChars maximum size of a row
     * @param memory is given the bytes of memory that a row needs, again as the row grows while it is read
     */
    public CsvFile(Supplier<InputStream> source, int maxRowChars, LongConsumer memory) {
        this.source = source;
        this.maxRowChars = maxRowChars;
        this.memory = memory;
        try (RowIterator rows = new RowIterator()) {
            if (!rows.hasNext()) {
                throw new MalformedCsvException("the file is empty; its first row must name the arguments");
            }
            this.columns = columnNames(rows.next());
        }
    }

    private static List<String> columnNames(CsvRow header) {
        List<String> names = new ArrayList<>();
        Set<String> known = new HashSet<>();
        for (int i = 0; i < header.size(); i++) {
            String name = header.cell(i).orElse("").strip();
            if (name.isEmpty()) {
                throw new MalformedCsvException("column " + (i + 1) + " has no name in the first row");
            } else if (name.length() > MAX_NAME_LENGTH) {
                throw new MalformedCsvException(
                        "the name of column " + (i + 1) + " has more than " + MAX_NAME_LENGTH + " characters");
            } else if (!known.add(name)) {
                throw new MalformedCsvException("the first row names the column '" + name + "' twice");
            }
            names.add(name);
        }
        if (names.size() == 1 && (names.get(0).contains(";") || names.get(0).contains("\t"))) {
            throw new MalformedCsvException("the columns must be separated by commas");
        }
        return List.copyOf(names);
    }

    /** The names of the columns, in their order. */
    public List<String> columns() {
        return columns;
    }

    /** A new iteration over the rows below the header. Closes the file at its end. */
    public CloseableRows rows() {
        RowIterator rows = new RowIterator();
        rows.next();
        return rows;
    }

    /** About the memory of a row and of what is made of it. */
    public long estimateBytes(CsvRow row) {
        long chars = 0;
        for (int i = 0; i < row.size(); i++) {
            chars += row.cell(i).map(String::length).orElse(0);
        }
        return chars * BYTES_PER_CHAR;
    }

    /** An iteration that keeps the file open until its end or until it is closed. */
    public interface CloseableRows extends Iterator<CsvRow>, AutoCloseable {
        @Override
        void close();
    }

    private final class RowIterator implements CloseableRows {
        private final RowMemoryReader reader = new RowMemoryReader(open(), memory);
        private final CloseableIterator<CsvRow> rows = CsvReader.builder()
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .allowUnclosedQuote(false)
                // The buffer must be larger than a row; RowHandler enforces the limit of a row.
                .maxBufferSize(maxRowChars + READ_AHEAD_CHARS)
                .build(new RowHandler(maxRowChars, reader), reader)
                .iterator();

        private Reader open() {
            try {
                PushbackReader text = new PushbackReader(new InputStreamReader(
                        source.get(),
                        StandardCharsets.UTF_8
                                .newDecoder()
                                .onMalformedInput(CodingErrorAction.REPORT)
                                .onUnmappableCharacter(CodingErrorAction.REPORT)));
                int first = text.read();
                if (first >= 0 && first != BYTE_ORDER_MARK) {
                    text.unread(first);
                }
                return text;
            } catch (IOException e) {
                throw failure(e);
            }
        }

        @Override
        public boolean hasNext() {
            try {
                boolean more = rows.hasNext();
                if (!more) {
                    close();
                }
                return more;
            } catch (CsvParseException e) {
                RuntimeException refusal = reader.refusal;
                throw refusal == null ? malformed(e) : refusal;
            } catch (UncheckedIOException e) {
                throw failure(Objects.requireNonNull(e.getCause()));
            }
        }

        @Override
        public CsvRow next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return rows.next();
        }

        private MalformedCsvException malformed(CsvParseException e) {
            Throwable cause = e.getCause();
            if (cause instanceof Error error) {
                throw error;
            }
            return new MalformedCsvException(
                    "the file is not valid CSV: " + e.getMessage()
                            + (cause == null || cause.getMessage() == null ? "" : ": " + cause.getMessage()),
                    e);
        }

        private RuntimeException failure(IOException e) {
            return e instanceof CharacterCodingException
                    ? new MalformedCsvException("the file is not text in UTF-8", e)
                    : new UncheckedIOException(e);
        }

        @Override
        public void close() {
            try {
                reader.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Counts the characters that are read for a row, some of which belong to the next rows. */
    private static final class RowMemoryReader extends FilterReader {
        private final LongConsumer memory;
        private long rowChars;
        /** Why there is no memory for the row. The parser reports it as an invalid file. */
        private @Nullable RuntimeException refusal;

        RowMemoryReader(Reader in, LongConsumer memory) {
            super(in);
            this.memory = memory;
        }

        void beginRow() {
            rowChars = 0;
        }

        @Override
        public int read(char[] to, int offset, int length) throws IOException {
            int count = super.read(to, offset, length);
            rowChars += Math.max(0, count);
            try {
                memory.accept(rowChars * BYTES_PER_CHAR);
            } catch (RuntimeException e) {
                refusal = e;
                throw e;
            }
            return count;
        }
    }

    /** Builds a row of its cells. Keeps the difference between an empty cell and an empty text in quotes. */
    private static final class RowHandler extends AbstractBaseCsvCallbackHandler<CsvRow> {
        private final int maxRowChars;
        private final RowMemoryReader reader;
        private List<@Nullable String> cells = new ArrayList<>();
        private int chars;

        RowHandler(int maxRowChars, RowMemoryReader reader) {
            this.maxRowChars = maxRowChars;
            this.reader = reader;
        }

        @Override
        protected void handleBegin(long line) {
            cells = new ArrayList<>();
            chars = 0;
            reader.beginRow();
        }

        @Override
        protected void handleField(int column, char[] buffer, int offset, int length, boolean quoted) {
            chars += length;
            if (column == MAX_COLUMNS || chars > maxRowChars) {
                throw new CsvParseException("the row that begins in line " + getStartingLineNumber() + " has more than "
                        + MAX_COLUMNS + " cells or " + maxRowChars + " characters");
            }
            cells.add(length == 0 && !quoted ? null : new String(buffer, offset, length));
        }

        @Override
        protected CsvRow buildRecord() {
            return new CsvRow(getStartingLineNumber(), cells);
        }
    }
}
