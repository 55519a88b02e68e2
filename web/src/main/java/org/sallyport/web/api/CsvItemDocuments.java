package org.sallyport.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Iterator;
import org.sallyport.submission.rows.CsvArguments;
import org.sallyport.submission.rows.CsvFile;
import org.sallyport.submission.rows.CsvRow;
import org.sallyport.submission.rows.MalformedCsvException;
import org.sallyport.web.JsonUtf8Writer;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** The rows of a CSV body, each with the arguments of one execution. */
final class CsvItemDocuments implements BatchItemDocuments {
    private final CsvFile file;
    private final CsvArguments arguments;
    private final long maxRowBytes;
    private final LargestItemMemory memory;
    private long[] lines = new long[64];
    private int count;

    /**
     * Counts the rows, up to one above {@code maxItems}.
     *
     * @param maxRowBytes maximum size of a row as JSON; a larger row is refused and not kept
     * @param memory reserves the memory of each row's arguments
     * @throws ProblemException if the body is not valid CSV
     */
    CsvItemDocuments(CsvFile file, CsvArguments arguments, int maxItems, long maxRowBytes, LargestItemMemory memory) {
        this.file = file;
        this.arguments = arguments;
        this.maxRowBytes = maxRowBytes;
        this.memory = memory;
        try (CsvFile.CloseableRows rows = file.rows()) {
            while (count <= maxItems && rows.hasNext()) {
                if (count == lines.length) {
                    lines = Arrays.copyOf(lines, 2 * count);
                }
                lines[count++] = rows.next().line();
            }
        } catch (MalformedCsvException e) {
            throw malformed(e);
        }
    }

    /** The problem of a body that is not valid CSV. */
    static ProblemException malformed(MalformedCsvException e) {
        return new ProblemException(problem(e));
    }

    private static Problem problem(MalformedCsvException e) {
        return Problem.of(ProblemType.VALIDATION, String.valueOf(e.getMessage()));
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public long line(int index) {
        return lines[index];
    }

    @Override
    public Iterator<ItemDocument> read() {
        Iterator<CsvRow> rows = file.rows();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public ItemDocument next() {
                return document(rows.next());
            }
        };
    }

    private ItemDocument document(CsvRow row) {
        memory.reserve(file.estimateBytes(row) + BoundedJson.estimateBytes(arguments.countJsonTokens(row)));
        JsonNode texts = arguments.textsOf(row);
        if (JsonUtf8Writer.bytes(texts).length > maxRowBytes) {
            return ItemDocument.unreadable(Problem.of(
                    ProblemType.PAYLOAD_TOO_LARGE, "the row has more than " + maxRowBytes + " bytes as JSON"));
        }
        try {
            return ItemDocument.of(ExecutionMapper.object().set("args", arguments.argumentsOf(row)))
                    .withRow(texts);
        } catch (MalformedCsvException e) {
            return ItemDocument.unreadable(problem(e)).withRow(texts);
        }
    }
}
