package org.sallyport.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.sallyport.tool.JsonSanitizer;

/**
 * A batch as one JSON object: with {@code items}, or with {@code rows} or {@code csv} for one capability. It is read in
 * the way of the body of a request.
 *
 * @param bytes the body
 * @param toMembers the options that are not in the body
 */
record BatchBody(BatchFormat format, byte[] bytes, ObjectNode toMembers) implements BatchOptions {
    private static final String ITEMS = "items";
    private static final String ROWS = "rows";
    private static final String CSV = "csv";
    private static final String CAPABILITY = "capability";
    private static final Set<String> ROW_MEMBERS = Set.of(
            ROWS,
            CSV,
            CAPABILITY,
            "version",
            "integrity",
            "atomic",
            "coalesce",
            "maxParallel",
            "onFailure",
            BatchBodyReader.SHARE_READS);

    /**
     * Reads the object.
     *
     * @throws org.sallyport.web.ProblemException if the object has not one of the three members, or rows without a
     *     capability
     */
    static BatchBody of(ObjectNode object) {
        JsonMembers members = new JsonMembers(object);
        List<String> sources = Stream.of(ITEMS, ROWS, CSV).filter(members::has).toList();
        if (sources.isEmpty()) {
            throw members.invalidMember(ROWS, "is missing: give one of rows, csv and items");
        } else if (sources.size() > 1) {
            throw members.invalidMember(sources.get(1), "does not go with '" + sources.get(0) + "'");
        } else if (members.has(ITEMS)) {
            return new BatchBody(BatchFormat.JSON, exactBytes(object), ExecutionMapper.object());
        }
        members.rejectUnknown(ROW_MEMBERS);
        if (!members.has(CAPABILITY)) {
            throw members.invalidMember(CAPABILITY, "is missing: it says which capability to run");
        }
        ObjectNode options = ExecutionMapper.object();
        object.properties().stream()
                .filter(member -> !sources.contains(member.getKey()))
                .forEach(member -> options.set(member.getKey(), member.getValue()));
        JsonNode source = object.path(sources.get(0));
        if (members.has(CSV)) {
            if (!source.isTextual()) {
                throw members.invalidMember(CSV, "must be a text");
            }
            return new BatchBody(BatchFormat.CSV, utf8(members, source.textValue()), options);
        } else if (source instanceof ArrayNode rows) {
            return new BatchBody(BatchFormat.ROWS, lines(rows), options);
        }
        throw members.invalidMember(ROWS, "must be an array");
    }

    private static byte[] utf8(JsonMembers members, String csv) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(csv));
            byte[] exact = new byte[bytes.remaining()];
            bytes.get(exact);
            return exact;
        } catch (CharacterCodingException e) {
            throw members.invalidMember(CSV, "has half of a surrogate pair, which is not a character");
        }
    }

    private static byte[] lines(ArrayNode rows) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        rows.forEach(row -> {
            lines.writeBytes(exactBytes(row));
            lines.write('\n');
        });
        return lines.toByteArray();
    }

    /** Unlike what clients get, this keeps lone surrogates, as escapes. */
    private static byte[] exactBytes(JsonNode json) {
        return JsonSanitizer.sanitize(json.toString()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean namesCapability() {
        return toMembers.has(CAPABILITY);
    }
}
