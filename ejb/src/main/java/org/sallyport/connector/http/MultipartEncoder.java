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
 * null are left out.
 */
final class MultipartEncoder {
    private static final String CONTENT_TYPE = "multipart/form-data";
    private static final String DEFAULT_FILE_TYPE = "application/octet-stream";

    private MultipartEncoder() {}

    /** The head and the content of one part. */
    @SuppressWarnings("ArrayRecordComponent")
    private record BodyPart(byte[] head, byte[] content) {}

    /** @param form an object */
    static EncodedBody encode(BodyFormat format, JsonNode form) {
        List<BodyPart> parts = new ArrayList<>();
        form.properties().forEach(entry -> {
            BodyFormat.PartFormat part = format.parts().getOrDefault(entry.getKey(), BodyFormat.PartFormat.DEFAULT);
            if (entry.getValue().isArray() && !part.isJson()) {
                entry.getValue().forEach(item -> parts.add(part(entry.getKey(), item, part)));
            } else if (!entry.getValue().isNull()) {
                parts.add(part(entry.getKey(), entry.getValue(), part));
            }
        });
        String boundary = boundary(parts);
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

    private static BodyPart part(String name, JsonNode value, BodyFormat.PartFormat format) {
        Optional<FileArgument> file = FileArgument.of(value, name);
        if (file.isPresent()) {
            String type = file.get().contentType().or(format::contentType).orElse(DEFAULT_FILE_TYPE);
            return part(
                    name,
                    file.get().filename().or(() -> Optional.of(name)),
                    type,
                    file.get().content());
        }
        if (value.isContainerNode()) {
            return part(
                    name,
                    Optional.empty(),
                    format.contentType().orElse("application/json"),
                    RequestBodyEncoder.json(value, StandardCharsets.UTF_8));
        }
        byte[] text = RequestBodyEncoder.utf8(ScalarText.format(value, name));
        return format.file()
                ? part(name, Optional.of(name), format.contentType().orElse(DEFAULT_FILE_TYPE), text)
                : part(name, Optional.empty(), format.contentType().orElse(""), text);
    }

    /** @param type media type; empty for none */
    private static BodyPart part(String name, Optional<String> filename, String type, byte[] content) {
        String head = "Content-Disposition: form-data; name=\"" + quoted(name) + "\""
                + filename.map(file -> "; filename=\"" + quoted(file) + "\"").orElse("") + "\r\n"
                + (type.isEmpty() ? "" : "Content-Type: " + type + "\r\n") + "\r\n";
        return new BodyPart(RequestBodyEncoder.utf8(head), content);
    }

    /** Escapes the characters that would end the value, as browsers do. */
    private static String quoted(String value) {
        return value.replace("\"", "%22").replace("\r", "%0D").replace("\n", "%0A");
    }

    /** The digest of the content, which no content can contain. */
    private static String boundary(List<BodyPart> parts) {
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
