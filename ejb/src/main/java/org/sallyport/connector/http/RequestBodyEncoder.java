package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Encodes an argument as the body of a request. Throws {@link UnencodableArgumentException} for other arguments. */
final class RequestBodyEncoder {
    private static final Pattern LONE_SURROGATE = Pattern.compile("\\p{Cs}");
    private static final Pattern NO_ASCII = Pattern.compile("[^\\x00-\\x7f]");
    private static final ArgumentFormat REPEATED = new ArgumentFormat(ParameterStyle.FORM, true, false);

    private RequestBodyEncoder() {}

    /**
     * @param name names the argument in errors
     * @param value any value that is not missing
     */
    static EncodedBody encode(BodyFormat format, String name, JsonNode value) {
        return switch (format.kind()) {
            case JSON -> new EncodedBody(format.contentType(), json(value, format.charset()));
            case TEXT -> new EncodedBody(format.contentType(), text(format, name, value));
            case BYTES -> bytes(format, name, value);
            case FORM -> new EncodedBody(format.contentType(), form(format, name, value));
            case MULTIPART -> MultipartEncoder.encode(format, object(value, name), limit(value));
        };
    }

    private static RequestLengthLimit limit(JsonNode form) {
        return RequestLengthLimit.ofBody(form.toString().length());
    }

    /**
     * Returns JSON text as bytes. Characters that {@code charset} may not encode, and lone surrogates, become escapes.
     */
    static byte[] json(JsonNode value, Charset charset) {
        return (charset.equals(StandardCharsets.UTF_8) ? LONE_SURROGATE : NO_ASCII)
                .matcher(value.toString())
                .replaceAll(found -> Matcher.quoteReplacement(escapes(found.group())))
                .getBytes(charset);
    }

    private static String escapes(String characters) {
        return characters
                .chars()
                .mapToObj(unit -> String.format("\\u%04x", unit))
                .collect(Collectors.joining());
    }

    /** Returns a text in UTF-8; U+FFFD takes the place of a lone surrogate. */
    static byte[] utf8(String text) {
        return LONE_SURROGATE.matcher(text).replaceAll("\ufffd").getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] text(BodyFormat format, String name, JsonNode value) {
        if (!ScalarText.isScalar(value)) {
            return FileArgument.of(value, name)
                    .map(FileArgument::content)
                    .orElseThrow(() -> new UnencodableArgumentException(
                            "'" + name + "' must be a text, because the body is " + format.contentType()));
        }
        String text = ScalarText.format(value, name);
        if (format.charset().equals(StandardCharsets.UTF_8)) {
            return utf8(text);
        }
        try {
            ByteBuffer encoded = format.charset().newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new UnencodableArgumentException(
                    "'" + name + "' has characters that " + format.charset().name() + " cannot encode");
        }
    }

    private static EncodedBody bytes(BodyFormat format, String name, JsonNode value) {
        FileArgument file = value.isTextual()
                ? new FileArgument(utf8(value.textValue()), Optional.empty(), Optional.empty())
                : FileArgument.of(value, name)
                        .orElseThrow(() -> new UnencodableArgumentException("'" + name
                                + "' must be bytes, such as a Uint8Array or {\"$base64\": …}, or a text, because the"
                                + " body is " + format.contentType()));
        String type = format.typeOfBytes(file.contentType())
                .orElseThrow(() -> new UnencodableArgumentException("'" + name + "' must have a 'type' that is one of "
                        + format.contentType() + ", such as {content: bytes, type: 'image/png'}"));
        return new EncodedBody(type, file.content());
    }

    private static byte[] form(BodyFormat format, String name, JsonNode value) {
        StringJoiner pairs = new StringJoiner("&");
        RequestLengthLimit limit = limit(object(value, name));
        value.properties().forEach(entry -> {
            if (!entry.getValue().isNull()) {
                formPairs(format, entry.getKey(), entry.getValue(), limit).forEach(pairs::add);
            }
        });
        return pairs.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static List<String> formPairs(BodyFormat format, String name, JsonNode value, RequestLengthLimit limit) {
        BodyFormat.PartFormat part = format.parts().getOrDefault(name, BodyFormat.PartFormat.DEFAULT);
        if (part.style().isPresent()) {
            return part.style().get().formPairs(name, value, limit);
        }
        if (!value.isArray() || part.isJson()) {
            return (value.isContainerNode() ? ArgumentFormat.JSON : REPEATED).formPairs(name, value, limit);
        }
        List<String> pairs = new ArrayList<>();
        value.forEach(item ->
                pairs.addAll((item.isContainerNode() ? ArgumentFormat.JSON : REPEATED).formPairs(name, item, limit)));
        return pairs;
    }

    private static JsonNode object(JsonNode value, String name) {
        if (!value.isObject()) {
            throw new UnencodableArgumentException("'" + name + "' must be an object of the members of the form");
        }
        if (value.has("")) {
            throw new UnencodableArgumentException("'" + name + "' has a member without a name");
        }
        return value;
    }
}
