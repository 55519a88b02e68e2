package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Base64;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Bytes that a script gives as an argument, in one of these forms: {@code {"$base64", "type", "filename"}}, which typed
 * arrays become; {@code {"base64", "contentType", "filename"}}, which is the result for a response of bytes; and
 * {@code {"content", "type", "filename"}}, where {@code content} is one of the other forms, or a text if the file has a
 * name.
 *
 * @param content the bytes; a text is in UTF-8
 * @param contentType media type, if one is given
 * @param filename name of the file, if one is given
 */
@SuppressWarnings("ArrayRecordComponent")
record FileArgument(byte[] content, Optional<String> contentType, Optional<String> filename) {
    private static final String CONTENT = "content";
    private static final String FILENAME = "filename";

    /**
     * Reads an argument; empty if it has none of these forms.
     *
     * @param name names the argument in errors
     */
    static Optional<FileArgument> of(JsonNode value, String name) {
        Optional<byte[]> bytes =
                bytes(value, name).or(() -> bytes(value.path(CONTENT), name)).or(() -> namedText(value));
        return bytes.map(content -> new FileArgument(content, contentType(value), text(value, FILENAME)));
    }

    private static Optional<byte[]> bytes(JsonNode value, String name) {
        if (value.path("$base64").isTextual()) {
            return Optional.of(decode(value.path("$base64").textValue(), name));
        }
        return value.path("base64").isTextual() && value.path("contentType").isTextual()
                ? Optional.of(decode(value.path("base64").textValue(), name))
                : Optional.empty();
    }

    private static Optional<byte[]> namedText(JsonNode value) {
        return value.path(CONTENT).isTextual() && text(value, FILENAME).isPresent()
                ? Optional.of(RequestBodyEncoder.utf8(value.path(CONTENT).textValue()))
                : Optional.empty();
    }

    private static byte[] decode(String base64, String name) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new UnencodableArgumentException("'" + name + "' has bytes that are not Base64");
        }
    }

    /** The class of a typed array is no media type. */
    private static Optional<String> contentType(JsonNode value) {
        return Stream.of("contentType", "type")
                .flatMap(member -> text(value, member).stream())
                .filter(BodyFormat::isMediaType)
                .findFirst();
    }

    private static Optional<String> text(JsonNode value, String member) {
        return Optional.of(value.path(member))
                .filter(JsonNode::isTextual)
                .map(JsonNode::textValue)
                .filter(text -> !text.isEmpty());
    }
}
