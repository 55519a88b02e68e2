package org.sallyport.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import de.siegmar.fastcsv.writer.QuoteStrategies;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.batch.BatchItem;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.Json;
import org.sallyport.tool.LoneSurrogateReplacer;

/**
 * The results of a batch as CSV (RFC 4180): the columns of the rows as they were sent, then the result. A result is
 * JSON, also if it is a text: a spreadsheet does not take it for a formula, whatever a script returns.
 */
final class CsvResultFormat implements BatchResultFormat {
    static final String MEDIA_TYPE = "text/csv";

    private static final List<String> RESULT_COLUMNS = List.of("execution", "state", "result", "error");

    private static final String FORMULA_STARTS = "=+-@\t\r";

    private final List<String> columns;

    /** @param columns the columns of the rows; empty if the batch has none */
    CsvResultFormat(List<String> columns) {
        this.columns = columns;
    }

    @Override
    public String mediaType() {
        return MEDIA_TYPE + ";charset=utf-8";
    }

    @Override
    public byte[] header() {
        List<@Nullable String> names = new ArrayList<>(columns.isEmpty() ? List.of("index") : columns);
        for (String column : RESULT_COLUMNS) {
            String name = column;
            while (names.contains(name)) {
                name += "_";
            }
            names.add(name);
        }
        return line(names);
    }

    @Override
    public byte[] item(BatchItem item, Optional<Execution> execution, Optional<Json> row) {
        List<@Nullable String> cells = new ArrayList<>();
        if (columns.isEmpty()) {
            cells.add(Integer.toString(item.index()));
        } else {
            JsonNode source = row.map(CsvResultFormat::parse).orElseGet(ExecutionMapper::object);
            columns.forEach(column -> cells.add(cell(source, column)));
        }
        cells.add(item.execution().map(ExecutionId::toString).orElse(null));
        cells.add(execution
                .map(found -> found.state().name())
                .orElse(item.problem().isPresent() ? "REFUSED" : null));
        cells.add(execution
                .flatMap(Execution::result)
                .map(result -> LoneSurrogateReplacer.replaceInJson(result.text()))
                .orElse(null));
        cells.add(error(item, execution));
        return line(cells);
    }

    private @Nullable String cell(JsonNode source, String column) {
        // A row without columns of its own is shown as a whole in the first column.
        if (!source.isObject() || columns.equals(BatchReader.ROW_COLUMNS)) {
            return column.equals(columns.get(0)) ? BatchResultFormat.cellText(source) : null;
        }
        JsonNode value = source.get(column);
        return value == null ? null : BatchResultFormat.cellText(value);
    }

    private static @Nullable String error(BatchItem item, Optional<Execution> execution) {
        if (item.problem().isPresent()) {
            return asPlainText(parse(item.problem().get()).path("detail").asText());
        }
        return execution
                .flatMap(Execution::error)
                .map(error -> asPlainText(error.code() + ": " + error.message()))
                .orElse(null);
    }

    /** Keeps a spreadsheet from taking a text, which a script may have chosen, for a formula. */
    private static String asPlainText(String text) {
        return text.isEmpty() || FORMULA_STARTS.indexOf(text.charAt(0)) < 0 ? text : "'" + text;
    }

    private static JsonNode parse(Json json) {
        return BoundedJson.parseStored(json);
    }

    private static byte[] line(List<@Nullable String> cells) {
        StringWriter text = new StringWriter();
        CsvWriter.builder()
                .quoteStrategy(QuoteStrategies.EMPTY)
                .lineDelimiter(LineDelimiter.CRLF)
                .bufferSize(0)
                .build(text)
                .writeRecord(cells);
        return LoneSurrogateReplacer.replaceInText(text.toString()).getBytes(StandardCharsets.UTF_8);
    }
}
