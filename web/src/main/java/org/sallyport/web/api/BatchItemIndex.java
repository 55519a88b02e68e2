package org.sallyport.web.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.UTF8StreamJsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * The byte positions of the items in the body of a batch. One pass over the body finds them; each item is parsed
 * separately later, so that an invalid item does not affect the others.
 */
final class BatchItemIndex {
    private static final int MAX_NESTING_DEPTH = 1_000;
    private static final byte[] BYTE_ORDER_MARK = "\ufeff".getBytes(StandardCharsets.UTF_8);

    private static final JsonFactory PARSER_FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_NESTING_DEPTH)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private final long maxItemBytes;
    private final int maxItems;
    private long[] starts = new long[64];
    private long[] ends = new long[64];
    /** Lines of the body in which the items begin; empty if the body is not made of lines. */
    private int[] lines = {};

    private int count;
    private boolean topLevelArray;
    /** Bytes of the members besides the items, so far. */
    private long memberBytes;

    private final ObjectNode header = ExecutionMapper.object();

    /**
     * @param largest maximum size of an item, in bytes; a larger item is not read
     * @param maxItems maximum number of items to keep; counting stops one item above it
     */
    private BatchItemIndex(long largest, int maxItems) {
        this.maxItemBytes = largest;
        this.maxItems = maxItems;
    }

    /**
     * Indexes a JSON array, or a JSON object with the member {@code items}.
     *
     * @throws ProblemException if the body is not JSON
     */
    static BatchItemIndex ofJson(SpooledBody body, long largest, int maxItems) {
        BatchItemIndex index = new BatchItemIndex(largest, maxItems);
        try (InputStream in = body.read();
                JsonParser parser = PARSER_FACTORY.createParser(in)) {
            index.walk(parser, body);
        } catch (IOException e) {
            throw new ProblemException(StrictJsonReader.toProblem(e));
        }
        return index;
    }

    /** Indexes a body with one JSON object per line. */
    static BatchItemIndex ofLines(SpooledBody body, long largest, int maxItems) {
        BatchItemIndex index = new BatchItemIndex(largest, maxItems);
        try (InputStream in = new BufferedInputStream(body.read(), 64 << 10)) {
            index.walk(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return index;
    }

    private void walk(InputStream in) throws IOException {
        lines = new int[starts.length];
        long at = skipByteOrderMark(in);
        long start = at;
        int line = 1;
        boolean blank = true;
        for (int next = in.read(); count <= maxItems; next = in.read()) {
            if (next < 0 || next == '\n') {
                if (!blank) {
                    add(start, at);
                    lines = lines.length < starts.length ? Arrays.copyOf(lines, starts.length) : lines;
                    lines[count - 1] = line;
                }
                if (next < 0) {
                    return;
                }
                line++;
                start = at + 1;
                blank = true;
            } else if (next != ' ' && next != '\t' && next != '\r') {
                blank = false;
            }
            at++;
        }
    }

    /** Returns the number of skipped bytes, of a stream at its start that supports {@link InputStream#mark}. */
    private static int skipByteOrderMark(InputStream in) throws IOException {
        in.mark(BYTE_ORDER_MARK.length);
        if (Arrays.equals(in.readNBytes(BYTE_ORDER_MARK.length), BYTE_ORDER_MARK)) {
            return BYTE_ORDER_MARK.length;
        }
        in.reset();
        return 0;
    }

    private void walk(JsonParser parser, SpooledBody body) throws IOException {
        if (!(parser instanceof UTF8StreamJsonParser)) {
            // The parser detected another encoding, so its byte offsets are unknown.
            throw new ProblemException(ProblemType.VALIDATION, "the body is not valid JSON in UTF-8");
        }
        JsonToken first = parser.nextToken();
        topLevelArray = first == JsonToken.START_ARRAY;
        if (!topLevelArray && first != JsonToken.START_OBJECT) {
            throw new ProblemException(
                    ProblemType.VALIDATION,
                    "the body must be a JSON array of submissions, an object with 'items', or lines of x-ndjson");
        }
        if (topLevelArray ? walkItems(parser) : walkMembers(parser, body)) {
            requireEnd(parser);
        }
    }

    private static void requireEnd(JsonParser parser) throws IOException {
        if (parser.nextToken() != null) {
            throw new ProblemException(ProblemType.VALIDATION, "the body has content after its JSON");
        }
    }

    /** Reads the members of the body; returns whether parsing should continue. */
    private boolean walkMembers(JsonParser parser, SpooledBody body) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            if (header.has(name)) {
                throw new ProblemException(
                        ProblemType.VALIDATION,
                        "the body is not valid JSON: Duplicate field '" + RequestContexts.abbreviate(name) + "'");
            }
            if (name.equals("items") && value == JsonToken.START_ARRAY) {
                header.putArray(name);
                if (!walkItems(parser)) {
                    return false;
                }
            } else if (value != null && value.isScalarValue()) {
                addMemberBytes(name.length() + parser.getTextLength());
                header.set(name, scalar(parser, value));
            } else {
                long start = offset(parser) - 1;
                parser.skipChildren();
                header.set(name, StrictJsonReader.parseTree(readMember(body, start, offset(parser))));
            }
        }
        return true;
    }

    /** Indexes the items of an array; returns whether parsing should continue. */
    private boolean walkItems(JsonParser parser) throws IOException {
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            if (count > maxItems) {
                return false;
            }
            if (token == JsonToken.START_OBJECT) {
                long start = offset(parser) - 1;
                parser.skipChildren();
                add(start, offset(parser));
            } else {
                parser.skipChildren();
                add(0, 0);
            }
        }
        return true;
    }

    private static JsonNode scalar(JsonParser parser, JsonToken value) throws IOException {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return switch (value) {
            case VALUE_STRING -> nodes.textNode(parser.getText());
            case VALUE_NUMBER_INT -> nodes.numberNode(parser.getLongValue());
            case VALUE_TRUE, VALUE_FALSE -> nodes.booleanNode(value == JsonToken.VALUE_TRUE);
            case VALUE_NULL -> nodes.nullNode();
            default -> StrictJsonReader.parseTree(parser.getText().getBytes(StandardCharsets.UTF_8));
        };
    }

    private byte[] readMember(SpooledBody body, long start, long end) {
        addMemberBytes(end - start);
        return body.slice(start, end);
    }

    private void addMemberBytes(long bytes) {
        memberBytes += bytes;
        if (memberBytes > maxItemBytes) {
            throw new ProblemException(
                    ProblemType.PAYLOAD_TOO_LARGE,
                    "the members besides the items are larger than " + maxItemBytes + " bytes together");
        }
    }

    private static long offset(JsonParser parser) {
        return parser.currentLocation().getByteOffset();
    }

    private void add(long start, long end) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
        }
        starts[count] = start;
        ends[count] = end;
        count++;
    }

    int count() {
        return count;
    }

    /** The line of the body, from 1, in which an item begins; 0 if the body is not made of lines. */
    int line(int index) {
        return index < lines.length ? lines[index] : 0;
    }

    /** Whether the body is an array, which leaves no place for members beside the items. */
    boolean isTopLevelArray() {
        return topLevelArray;
    }

    /** The members beside the items. */
    ObjectNode header() {
        return header;
    }

    /**
     * Parses one item, which must be an object.
     *
     * @throws ProblemException if the item is invalid
     */
    ObjectNode item(SpooledBody body, int index) {
        if (value(body, index) instanceof ObjectNode item) {
            return item;
        }
        throw notAnObject();
    }

    private static ProblemException notAnObject() {
        return new ProblemException(ProblemType.VALIDATION, "an item must be a JSON object");
    }

    /**
     * Parses one item.
     *
     * @throws ProblemException if the item is invalid
     */
    JsonNode value(SpooledBody body, int index) {
        long size = size(index);
        if (size == 0) {
            throw notAnObject();
        }
        JsonNode value = StrictJsonReader.parseTree(bytes(body, index)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.PAYLOAD_TOO_LARGE,
                        "the item has " + size + " bytes; at most " + maxItemBytes + " are taken")));
        if (value.isMissingNode()) {
            throw new ProblemException(ProblemType.VALIDATION, "the item is no JSON value");
        }
        return value;
    }

    /**
     * The bytes of one item; empty if it is larger than items may be, or no object in a JSON body, where the index has
     * no position for other values.
     */
    Optional<byte[]> bytes(SpooledBody body, int index) {
        long size = size(index);
        return size == 0 || size > maxItemBytes
                ? Optional.empty()
                : Optional.of(body.slice(starts[index], ends[index]));
    }

    private long size(int index) {
        return ends[index] - starts[index];
    }
}
