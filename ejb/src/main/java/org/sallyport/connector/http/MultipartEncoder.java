package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Encodes an object as {@code multipart/form-data} (RFC 7578): one part for each member, and for each item of a list
 * unless the list is declared as JSON. Objects are JSON; bytes and texts of declared files are files. Members that are
 * null are left out. An instance writes one body.
 */
final class MultipartEncoder {
    private static final String CONTENT_TYPE = "multipart/form-data";
    private static final String DEFAULT_FILE_TYPE = "application/octet-stream";
    /** Length of a boundary and the line breaks of a part. */
    private static final int FRAME_LENGTH = 58;

    private final List<BodyPart> parts = new ArrayList<>();
    private final RequestLengthLimit limit;

    private MultipartEncoder(RequestLengthLimit limit) {
        this.limit = limit;
    }

    /** The head and the content of one part. */
    @SuppressWarnings("ArrayRecordComponent")
    private record BodyPart(byte[] head, byte[] content) {}

    /**
     * @param form an object
     * @param limit counts the parts
     */
    static EncodedBody encode(BodyFormat format, JsonNode form, RequestLengthLimit limit) {
        MultipartEncoder encoder = new MultipartEncoder(limit);
        form.properties().forEach(entry -> {
            BodyFormat.PartFormat part = format.parts().getOrDefault(entry.getKey(), BodyFormat.PartFormat.DEFAULT);
            if (entry.getValue().isArray() && !part.isJson()) {
                entry.getValue().forEach(item -> encoder.addPart(entry.getKey(), item, part));
            } else if (!entry.getValue().isNull()) {
                encoder.addPart(entry.getKey(), entry.getValue(), part);
            }
        });
        return encoder.toBody();
    }

    private EncodedBody toBody() {
        String boundary = boundary();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (BodyPart part : parts) {
            body.writeBytes(ascii("--" + boundary + "\r\n"));
            body.writeBytes(part.head());
            body.writeBytes(part.content());
            body.writeBytes(ascii("\r\n"));
        }
        body.writeBytes(ascii("--" + boundary + "--\r\n"));
        return new EncodedBody(CONTENT_TYPE + "; boundary=" + boundary, body.toByteArray());
    }

    private void addPart(String name, JsonNode value, BodyFormat.PartFormat format) {
        // A text with a name or a media type is data where JSON is declared.
        boolean data = format.isJson() && value.path("content").isTextual();
        Optional<FileArgument> file = data ? Optional.empty() : FileArgument.of(value, name);
        if (file.isPresent()) {
            String type = file.get().contentType().or(format::contentType).orElse(DEFAULT_FILE_TYPE);
            addPart(
                    name,
                    file.get().filename().or(() -> Optional.of(name)),
                    type,
                    file.get().content());
        } else if (value.isContainerNode()) {
            addJson(name, value, format);
        } else {
            byte[] text = RequestBodyEncoder.utf8(ScalarText.format(value, name));
            if (format.file()) {
                addPart(name, Optional.of(name), format.contentType().orElse(DEFAULT_FILE_TYPE), text);
            } else {
                addPart(name, Optional.empty(), format.contentType().orElse(""), text);
            }
        }
    }

    private void addJson(String name, JsonNode value, BodyFormat.PartFormat format) {
        if (format.file()) {
            throw new UnencodableArgumentException("'" + name
                    + "' must be a file: bytes, a text, or an object such as {content: bytes, filename: 'a.png'}");
        }
        if (!format.isJson()) {
            FileArgument.refuseBytes(value, name);
        }
        addPart(
                name,
                Optional.empty(),
                format.contentType().orElse("application/json"),
                RequestBodyEncoder.json(value, StandardCharsets.UTF_8));
    }

    /** @param type media type; empty for none */
    private void addPart(String name, Optional<String> filename, String type, byte[] content) {
        byte[] head = RequestBodyEncoder.utf8("Content-Disposition: form-data; name=\"" + quoted(name) + "\""
                + filename.map(file -> "; filename=\"" + quoted(file) + "\"").orElse("") + "\r\n"
                + (type.isEmpty() ? "" : "Content-Type: " + type + "\r\n") + "\r\n");
        limit.add((long) FRAME_LENGTH + head.length + content.length);
        parts.add(new BodyPart(head, content));
    }

    /** Escapes the characters that would end the value, as browsers do. */
    private static String quoted(String value) {
        return value.replace("\"", "%22").replace("\r", "%0D").replace("\n", "%0A");
    }

    /** The digest of the content, which no content can contain. */
    private String boundary() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            parts.forEach(part -> {
                digest.update(part.head());
                digest.update(part.content());
            });
            return "sallyport-" + HexFormat.of().formatHex(digest.digest(), 0, 20);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
