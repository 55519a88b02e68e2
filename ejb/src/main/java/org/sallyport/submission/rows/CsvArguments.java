package org.sallyport.submission.rows;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.sallyport.tool.Json;

/**
 * Makes arguments of the rows of a CSV file. The input schema gives the types of each column; a cell that is no value
 * of these types stays text, so that the validation of the arguments names it. An empty cell leaves its argument out.
 * Thread-safe.
 */
public final class CsvArguments {
    /** The grammar of JSON: a number with a leading zero, such as an article number, is no number. */
    private static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?");

    private static final int MAX_NUMBER_LENGTH = 1_000;
    private static final int MAX_NESTING_DEPTH = 200;
    private static final int MAX_TOKENS = 200_000;

    private static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_NESTING_DEPTH)
                            .maxNumberLength(MAX_NUMBER_LENGTH)
                            .maxStringLength(Integer.MAX_VALUE) // a row as a whole is bounded
                            .maxNameLength(Integer.MAX_VALUE)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
            .build();

    private final List<String> columns;
    private final List<Set<String>> typesByColumn;

    /**
     * @param columns the names of the arguments
     * @param inputSchema the JSON Schema of the arguments; without one, all arguments are texts
     */
    public CsvArguments(List<String> columns, Optional<Json> inputSchema) {
        this.columns = List.copyOf(columns);
        SchemaPropertyTypes types = typesOf(inputSchema);
        this.typesByColumn = columns.stream().map(types::of).toList();
    }

    private static SchemaPropertyTypes typesOf(Optional<Json> inputSchema) {
        return new SchemaPropertyTypes(
                inputSchema.map(schema -> parse(schema.text())).orElseGet(JsonNodeFactory.instance::objectNode));
    }

    /** The names of the arguments that an input schema lists, in their order. */
    public static List<String> namesIn(Optional<Json> inputSchema) {
        return List.copyOf(typesOf(inputSchema).names());
    }

    private static JsonNode parse(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("a schema that was published is not JSON", e);
        }
    }

    /**
     * The arguments of a row.
     *
     * @throws MalformedCsvException if the row has another number of cells than the header, or too many JSON values
     */
    public ObjectNode argumentsOf(CsvRow row) {
        requireSize(row);
        if (countJsonTokens(row) > MAX_TOKENS) {
            throw new MalformedCsvException("the row has more than " + MAX_TOKENS + " JSON values, names and brackets");
        }
        ObjectNode arguments = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < columns.size(); i++) {
            String name = columns.get(i);
            Set<String> types = typesByColumn.get(i);
            row.cell(i).ifPresent(text -> arguments.set(name, value(text, types)));
        }
        return arguments;
    }

    /** At least the number of JSON values and names in the objects and arrays of a row, counted without a parser. */
    public int countJsonTokens(CsvRow row) {
        int tokens = 0;
        for (int i = 0; i < Math.min(row.size(), columns.size()); i++) {
            String text = row.cell(i).orElse("");
            Set<String> types = typesByColumn.get(i);
            if (types.contains("object") || types.contains("array")) {
                tokens += (int) text.chars()
                        .filter(each -> each == ',' || each == ':' || each == '{' || each == '[')
                        .count();
            }
        }
        return tokens;
    }

    private void requireSize(CsvRow row) {
        if (row.size() != columns.size()) {
            throw new MalformedCsvException(
                    "the row has " + row.size() + " cells, but the first row names " + columns.size() + " columns");
        }
    }

    private static JsonNode value(String text, Set<String> types) {
        String bare = text.strip();
        if (types.contains("boolean") && (bare.equalsIgnoreCase("true") || bare.equalsIgnoreCase("false"))) {
            return BooleanNode.valueOf(bare.equalsIgnoreCase("true"));
        } else if ((types.contains("number") || types.contains("integer"))
                && bare.length() <= MAX_NUMBER_LENGTH
                && NUMBER.matcher(bare).matches()) {
            return json(bare, text);
        } else if ((types.contains("object") && bare.startsWith("{"))
                || (types.contains("array") && bare.startsWith("["))) {
            return json(bare, text);
        } else if (types.contains("null") && !types.contains("string") && bare.equals("null")) {
            return NullNode.instance;
        }
        return new TextNode(text);
    }

    private static JsonNode json(String bare, String text) {
        try {
            return MAPPER.readTree(bare);
        } catch (JsonProcessingException e) {
            return new TextNode(text);
        }
    }

    /** The row as a JSON object of column names and texts, without its empty cells. */
    public ObjectNode textsOf(CsvRow row) {
        ObjectNode texts = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < Math.min(row.size(), columns.size()); i++) {
            String name = columns.get(i);
            row.cell(i).ifPresent(text -> texts.put(name, text));
        }
        return texts;
    }
}
