package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;

/**
 * Bytes that a script gives as an argument, in one of these forms: {@code {"$base64", "type", "filename"}}, which typed
 * arrays become; {@code {"base64", "contentType", "filename"}}, which is the result for a response of bytes; and
 * {@code {"content", "type", "filename"}}, where {@code content} is one of the other forms, or a text if the object has
 * a name or a media type. Bytes with any other member are refused.
 *
 * @param content the bytes; a text is in UTF-8
 * @param contentType media type, if one is given
 * @param filename name of the file, if one is given
 */
@SuppressWarnings("ArrayRecordComponent")
record FileArgument(byte[] content, Optional<String> contentType, Optional<String> filename) {
    private static final String TYPED_ARRAY_BYTES = "$base64";
    private static final String RESULT_BYTES = "base64";
    private static final String RESULT_TYPE = "contentType";
    private static final String CONTENT = "content";
    private static final String TYPE = "type";
    private static final String FILENAME = "filename";
    /** Members of typed arrays, results and named contents. */
    private static final Set<String> TYPED_ARRAY_MEMBERS = Set.of(TYPED_ARRAY_BYTES, TYPE, FILENAME);

    private static final Set<String> RESULT_MEMBERS = Set.of(RESULT_BYTES, RESULT_TYPE, FILENAME);
    private static final Set<String> CONTENT_MEMBERS = Set.of(CONTENT, TYPE, FILENAME);
    /** Types of bytes in scripts, which are no media types. */
    private static final Set<String> TYPED_ARRAYS = Set.of(
            "ArrayBuffer",
            "DataView",
            "Int8Array",
            "Uint8Array",
            "Uint8ClampedArray",
            "Int16Array",
            "Uint16Array",
            "Int32Array",
            "Uint32Array",
            "BigInt64Array",
            "BigUint64Array",
            "Float16Array",
            "Float32Array",
            "Float64Array");

    /**
     * Reads an argument; empty if it has none of these forms. Throws {@link UnencodableArgumentException} for bytes
     * with members that a file does not have.
     *
     * @param name names the argument in errors
     */
    static Optional<FileArgument> of(JsonNode value, String name) {
        if (isBytes(value)) {
            return Optional.of(bytes(value, name));
        }
        JsonNode content = value.path(CONTENT);
        if (isBytes(content)) {
            requireMembers(value, CONTENT_MEMBERS, name);
            FileArgument bytes = bytes(content, name);
            return Optional.of(new FileArgument(
                    bytes.content(),
                    mediaType(value, TYPE, name).or(bytes::contentType),
                    text(value, FILENAME, name).or(bytes::filename)));
        }
        return isNamedText(value) ? Optional.of(namedText(value, name)) : Optional.empty();
    }

    private static boolean isBytes(JsonNode value) {
        return value.path(TYPED_ARRAY_BYTES).isTextual()
                || (value.path(RESULT_BYTES).isTextual()
                        && value.path(RESULT_TYPE).isTextual());
    }

    private static FileArgument bytes(JsonNode value, String name) {
        boolean typedArray = value.path(TYPED_ARRAY_BYTES).isTextual();
        requireMembers(value, typedArray ? TYPED_ARRAY_MEMBERS : RESULT_MEMBERS, name);
        String base64 =
                value.path(typedArray ? TYPED_ARRAY_BYTES : RESULT_BYTES).textValue();
        try {
            return new FileArgument(
                    Base64.getDecoder().decode(base64),
                    mediaType(value, typedArray ? TYPE : RESULT_TYPE, name),
                    text(value, FILENAME, name));
        } catch (IllegalArgumentException e) {
            throw new UnencodableArgumentException("'" + name + "' has bytes that are not Base64");
        }
    }

    /** Whether an object is a text with the name of a file, or a text with a media type and no other members. */
    private static boolean isNamedText(JsonNode value) {
        if (!value.path(CONTENT).isTextual()) {
            return false;
        }
        return value.path(FILENAME).isTextual()
                || (findUnknownMember(value, CONTENT_MEMBERS).isEmpty()
                        && isMediaType(value.path(TYPE).asText()));
    }

    private static FileArgument namedText(JsonNode value, String name) {
        requireMembers(value, CONTENT_MEMBERS, name);
        return new FileArgument(
                RequestBodyEncoder.utf8(value.path(CONTENT).asText()),
                mediaType(value, TYPE, name),
                text(value, FILENAME, name));
    }

    private static void requireMembers(JsonNode value, Set<String> members, String name) {
        findUnknownMember(value, members).ifPresent(unknown -> {
            throw new UnencodableArgumentException("'" + name + "' is a file, which has no member '" + unknown + "'");
        });
    }

    private static Optional<String> findUnknownMember(JsonNode value, Set<String> members) {
        return value.properties().stream()
                .filter(entry ->
                        !members.contains(entry.getKey()) && !entry.getValue().isNull())
                .map(entry -> entry.getKey())
                .findFirst();
    }

    private static Optional<String> mediaType(JsonNode value, String member, String name) {
        Optional<String> type = text(value, member, name).filter(text -> !TYPED_ARRAYS.contains(text));
        if (type.isPresent() && !isMediaType(type.get())) {
            throw new UnencodableArgumentException(
                    "'" + name + "' is a file whose '" + member + "' is no media type, such as image/png");
        }
        return type;
    }

    private static boolean isMediaType(String text) {
        return BodyFormat.isMediaType(text) && text.indexOf('*') < 0;
    }

    private static Optional<String> text(JsonNode value, String member, String name) {
        JsonNode found = value.path(member);
        if (found.isMissingNode() || found.isNull()) {
            return Optional.empty();
        }
        if (!found.isTextual()) {
            throw new UnencodableArgumentException("'" + name + "' is a file whose '" + member + "' is no text");
        }
        return Optional.of(found.textValue()).filter(text -> !text.isEmpty());
    }

    /**
     * Throws {@link UnencodableArgumentException} if the value contains a typed array: its form in JSON is not meant
     * for servers.
     *
     * @param name names the argument in errors
     */
    static void refuseBytes(JsonNode value, String name) {
        if (value.isContainerNode() && containsBytes(value)) {
            throw new UnencodableArgumentException(
                    "'" + name + "' has bytes, which only a body of bytes and a part of multipart/form-data can carry");
        }
    }

    private static boolean containsBytes(JsonNode value) {
        if (value.path(TYPED_ARRAY_BYTES).isTextual()) {
            return true;
        }
        for (JsonNode item : value) {
            if (item.isContainerNode() && containsBytes(item)) {
                return true;
            }
        }
        return false;
    }
}
