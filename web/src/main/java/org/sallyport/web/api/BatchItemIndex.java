package org.sallyport.web.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * The byte positions of the items in the body of a batch. One pass over the body finds them; each item is parsed
 * separately later, so that an invalid item does not affect the others.
 */
final class BatchItemIndex {
    private static final byte[] BYTE_ORDER_MARK = "\ufeff".getBytes(StandardCharsets.UTF_8);
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int MAX_CODE_UNIT_BYTES = 4;

    private final BatchBodyLimits limits;
    private final LongConsumer memory;
    private final LargestItemMemory itemMemory;
    private long[] starts = new long[64];
    private long[] ends = new long[64];
    /** Lines of the body in which the items begin; empty if the body is not made of lines. */
    private int[] lines = {};

    private int count;
    private boolean topLevelArray;
    /** Where JSON begins in the body. */
    private long firstByte;
    /** Bytes of the members besides the items, so far. */
    private long memberBytes;

    private final ObjectNode header = ExecutionMapper.object();

    private BatchItemIndex(BatchBodyLimits limits, LongConsumer memory) {
        this.limits = limits;
        this.memory = memory;
        this.itemMemory = new LargestItemMemory(memory);
    }

    /**
     * Indexes a JSON array, or a JSON object with the member {@code items}.
     *
     * @param memory reserves bytes, before an item or another member is read and parsed
     * @throws ProblemException if the body is not JSON, or an object with an unknown member
     */
    static BatchItemIndex ofJson(SpooledBody body, BatchBodyLimits limits, LongConsumer memory) {
        BatchItemIndex index = new BatchItemIndex(limits, memory);
        try (InputStream in = new BufferedInputStream(body.read(), BUFFER_BYTES)) {
            requireUtf8(in);
            index.firstByte = skipByteOrderMark(in);
            try (JsonParser parser = BoundedJson.walk(in)) {
                index.walk(parser, body);
            }
        } catch (IOException e) {
            throw new ProblemException(BoundedJson.toProblem(e));
        }
        return index;
    }

    /**
     * Indexes a body with one JSON object per line.
     *
     * @param memory reserves bytes, before an item is read and parsed
     */
    static BatchItemIndex ofLines(SpooledBody body, BatchBodyLimits limits, LongConsumer memory) {
        BatchItemIndex index = new BatchItemIndex(limits, memory);
        try (InputStream in = new BufferedInputStream(body.read(), BUFFER_BYTES)) {
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
        for (int next = in.read(); count <= limits.maxItems(); next = in.read()) {
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

    /** Refuses UTF-16 and UTF-32: JSON in UTF-8 has no such bytes at its start. */
    private static void requireUtf8(InputStream in) throws IOException {
        in.mark(MAX_CODE_UNIT_BYTES);
        for (byte each : in.readNBytes(MAX_CODE_UNIT_BYTES)) {
            if (each == 0 || (each & 0xfe) == 0xfe) {
                throw new ProblemException(ProblemType.VALIDATION, "the body is not valid JSON in UTF-8");
            }
        }
        in.reset();
    }

    private void walk(JsonParser parser, SpooledBody body) throws IOException {
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
            if (!limits.knownMembers().contains(name)) {
                throw JsonMembers.unknownMembers(Set.of(JsonMembers.abbreviate(utf8(name))), limits.knownMembers());
            }
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
            } else {
                long start = firstByte + parser.currentTokenLocation().getCharOffset();
                if (value != null && value.isScalarValue()) {
                    parser.finishToken();
                } else {
                    parser.skipChildren();
                }
                header.set(name, readMember(body, start, offset(parser)));
            }
        }
        return true;
    }

    /** The parser takes each byte for one character. */
    private static String utf8(String name) {
        return new String(name.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /** Indexes the items of an array; returns whether parsing should continue. */
    private boolean walkItems(JsonParser parser) throws IOException {
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            if (count > limits.maxItems()) {
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

    private JsonNode readMember(SpooledBody body, long start, long end) {
        memberBytes += end - start;
        if (memberBytes > limits.maxItemBytes()) {
            throw new ProblemException(
                    ProblemType.PAYLOAD_TOO_LARGE,
                    "the members besides the items are larger than " + limits.maxItemBytes() + " bytes together");
        }
        byte[] json = body.slice(start, end);
        memory.accept(json.length + BoundedJson.estimateTreeBytes(json));
        return BoundedJson.parseTree(json);
    }

    /** The byte of the body behind what the parser has read. */
    private long offset(JsonParser parser) {
        return firstByte + parser.currentLocation().getCharOffset();
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
     * @param json the result of {@link #bytes} for the item
     * @throws ProblemException if the item is invalid
     */
    ObjectNode item(int index, Optional<byte[]> json) {
        if (value(index, json) instanceof ObjectNode item) {
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
     * @param json the result of {@link #bytes} for the item
     * @throws ProblemException if the item is invalid
     */
    JsonNode value(int index, Optional<byte[]> json) {
        long size = size(index);
        if (size == 0) {
            throw notAnObject();
        }
        JsonNode value = BoundedJson.parseTree(json.orElseThrow(() -> new ProblemException(
                ProblemType.PAYLOAD_TOO_LARGE,
                "the item has " + size + " bytes; at most " + limits.maxItemBytes() + " are taken")));
        if (value.isMissingNode()) {
            throw new ProblemException(ProblemType.VALIDATION, "the item is no JSON value");
        }
        return value;
    }

    /**
     * The bytes of one item; empty if it is larger than items may be, or no object in a JSON body, where the index has
     * no position for other values. Reserves the memory of the item and of its tree, for one item at a time.
     */
    Optional<byte[]> bytes(SpooledBody body, int index) {
        long size = size(index);
        if (size == 0 || size > limits.maxItemBytes()) {
            return Optional.empty();
        }
        itemMemory.reserve(size);
        byte[] json = body.slice(starts[index], ends[index]);
        itemMemory.reserve(size + BoundedJson.estimateTreeBytes(json));
        return Optional.of(json);
    }

    private long size(int index) {
        return ends[index] - starts[index];
    }
}
