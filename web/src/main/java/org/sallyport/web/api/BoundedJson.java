package org.sallyport.web.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.sallyport.tool.Json;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Parses the JSON of requests: UTF-8, no duplicate member, numbers with all their digits. The parser checks its limits
 * while it reads, so a text above them never becomes a tree. It keeps the names that it has read, so their length must
 * be bounded too.
 */
public final class BoundedJson {
    private static final int MAX_TOKENS = 200_000;
    private static final int MAX_NESTING_DEPTH = 200;
    private static final int MAX_NUMBER_LENGTH = 1_000;
    private static final int MAX_NAME_BYTES = 1_000;
    /** About the memory of a value or name in a tree, besides its text. */
    private static final int BYTES_PER_TOKEN = 64;

    private static final StreamReadConstraints CONSTRAINTS = StreamReadConstraints.builder()
            .maxNestingDepth(MAX_NESTING_DEPTH)
            .maxNumberLength(MAX_NUMBER_LENGTH)
            .maxNameLength(MAX_NAME_BYTES)
            .maxTokenCount(MAX_TOKENS)
            .maxStringLength(Integer.MAX_VALUE) // the body as a whole is bounded
            .build();
    private static final ObjectMapper REQUESTS =
            mapper(JsonFactory.builder().streamReadConstraints(CONSTRAINTS).build());

    /** For what the service stores, such as the results of scripts, which has limits of its own. Keeps no names. */
    private static final ObjectMapper STORED = mapper(JsonFactory.builder()
            .streamReadConstraints(CONSTRAINTS
                    .rebuild()
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxTokenCount(-1)
                    .build())
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build());

    /**
     * For bodies that are walked item by item, and whose items are parsed separately. Values that are skipped may have
     * any length. Keeps no names, because a large body may have very many.
     */
    private static final JsonFactory WALKED = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(1_000)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNameLength(MAX_NAME_BYTES)
                    .maxStringLength(64 << 10)
                    .build())
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private BoundedJson() {}

    private static ObjectMapper mapper(JsonFactory factory) {
        return JsonMapper.builder(factory)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();
    }

    /** About the memory of the tree of a JSON text, before it is parsed: its text, its values and its names. */
    static long estimateTreeBytes(byte[] json) {
        return json.length + estimateBytes(countTokens(json));
    }

    /** About the memory of values and names in a tree, besides their texts. */
    static long estimateBytes(int tokens) {
        return (long) BYTES_PER_TOKEN * Math.min(tokens, MAX_TOKENS);
    }

    /** Counts values and names by the characters before them. Those within texts, such as scripts, do not count. */
    private static int countTokens(byte[] json) {
        int tokens = 1;
        boolean inText = false;
        boolean escaped = false;
        for (byte each : json) {
            if (each == 0) {
                // The parser also reads UTF-16 and UTF-32, in which bytes are no characters. UTF-8 has no such byte.
                return MAX_TOKENS;
            } else if (escaped) {
                escaped = false;
            } else if (each == '"') {
                inText = !inText;
            } else if (inText) {
                escaped = each == '\\';
            } else if (each == ',' || each == ':' || each == '{' || each == '[') {
                tokens++;
            }
        }
        return tokens;
    }

    /**
     * Parses one JSON object of a request.
     *
     * @throws ProblemException if the bytes are anything else, or above a limit
     */
    public static ObjectNode parseObject(byte[] bytes) {
        return requireObject(parseTree(bytes));
    }

    /**
     * Parses one JSON value of a request.
     *
     * @throws ProblemException if the bytes are anything else, or above a limit
     */
    public static JsonNode parseTree(byte[] bytes) {
        return parse(() -> REQUESTS.readTree(bytes));
    }

    /**
     * Parses one JSON object that the service has stored.
     *
     * @throws ProblemException if it is anything else
     */
    static ObjectNode parseStoredObject(Json json) {
        return requireObject(parseStored(json));
    }

    /**
     * Parses one JSON value that the service has stored.
     *
     * @throws ProblemException if it is anything else
     */
    public static JsonNode parseStored(Json json) {
        return parse(() -> STORED.readTree(json.text()));
    }

    private static ObjectNode requireObject(JsonNode value) {
        if (value instanceof ObjectNode object) {
            return object;
        }
        throw new ProblemException(ProblemType.VALIDATION, "the body must be one JSON object");
    }

    @FunctionalInterface
    private interface TreeReader {
        JsonNode read() throws IOException;
    }

    private static JsonNode parse(TreeReader reader) {
        try {
            return reader.read();
        } catch (NumberFormatException e) {
            throw new ProblemException(ProblemType.VALIDATION, "the body has a number too large to be read");
        } catch (IOException e) {
            throw new ProblemException(toProblem(e));
        }
    }

    /**
     * A parser that takes each byte of UTF-8 for one character, so that its positions are byte positions. Texts that it
     * returns are wrong unless they are ASCII.
     */
    static JsonParser walk(InputStream in) throws IOException {
        return WALKED.createParser(new InputStreamReader(in, StandardCharsets.ISO_8859_1));
    }

    /** The problem of a text that cannot be parsed as JSON. */
    static Problem toProblem(IOException failure) {
        try {
            throw failure;
        } catch (StreamConstraintsException e) {
            // The parser has one exception for all its limits, and only its message tells them apart.
            return e.getOriginalMessage().startsWith("Token count")
                    ? Problem.of(
                            ProblemType.PAYLOAD_TOO_LARGE,
                            "the body has more than " + MAX_TOKENS + " JSON values, names and brackets")
                    : Problem.of(
                            ProblemType.VALIDATION,
                            "the body is nested deeper than " + MAX_NESTING_DEPTH + " levels, or has a number of more"
                                    + " than " + MAX_NUMBER_LENGTH + " digits, a name of more than " + MAX_NAME_BYTES
                                    + " bytes or an option that is too long");
        } catch (MismatchedInputException e) {
            return Problem.of(ProblemType.VALIDATION, "the body has content after its JSON object");
        } catch (JsonProcessingException e) {
            var at = e.getLocation();
            int line = at == null ? 0 : at.getLineNr();
            int column = at == null ? 0 : at.getColumnNr();
            return Problem.of(
                    ProblemType.VALIDATION,
                    "the body is not valid JSON: " + firstLine(e.getOriginalMessage()),
                    members -> members.put("line", line).put("column", column));
        } catch (IOException e) {
            // The bytes are not UTF-8.
            return Problem.of(ProblemType.VALIDATION, "the body is not valid JSON in UTF-8");
        }
    }

    private static String firstLine(String message) {
        int end = message.indexOf('\n');
        String line = end < 0 ? message : message.substring(0, end);
        return line.length() > 300 ? line.substring(0, 300) + "…" : line;
    }
}
