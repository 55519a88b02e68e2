package org.sallyport.connector.http;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hc.core5.http.ContentType;

/**
 * How an argument becomes the body of a request.
 *
 * @param contentType the declared media type with its parameters, as it is sent
 * @param kind how the argument is encoded
 * @param parts formats of the members of a form, where they are declared
 */
record BodyFormat(String contentType, BodyKind kind, Map<String, PartFormat> parts) {
    static final BodyFormat JSON = new BodyFormat("application/json", BodyKind.JSON, Map.of());

    private static final Pattern MEDIA_TYPE =
            Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+(\\s*;[ -~]*)?");
    private static final Set<String> TEXT_TYPES = Set.of(
            "application/xml",
            "application/yaml",
            "application/x-yaml",
            "application/x-ndjson",
            "application/ndjson",
            "application/jsonl",
            "application/graphql",
            "application/javascript",
            "application/sql",
            "application/toml");

    BodyFormat {
        parts = Map.copyOf(parts);
    }

    enum BodyKind {
        /** Any value, as JSON. */
        JSON,
        /** An object, as {@code application/x-www-form-urlencoded}. */
        FORM,
        /** An object, as {@code multipart/form-data}. */
        MULTIPART,
        /** A text. */
        TEXT,
        /** Bytes: see {@link FileArgument}. */
        BYTES
    }

    /**
     * The format of one member of a form.
     *
     * @param style separators and names; empty if lists are repeated and objects are JSON
     * @param contentType media type of the part of a multipart body
     * @param file whether a text is sent as a file
     */
    record PartFormat(Optional<ArgumentFormat> style, Optional<String> contentType, boolean file) {
        static final PartFormat DEFAULT = new PartFormat(Optional.empty(), Optional.empty(), false);

        /** Whether lists are one value, in JSON. */
        boolean isJson() {
            return contentType.map(type -> BodyFormat.isJson(essence(type))).orElse(false);
        }
    }

    /**
     * Returns the format for a declared media type, also for a range such as {@code *}{@code /*}; empty if bodies of
     * this type cannot be written.
     */
    static Optional<BodyFormat> of(String declared, Map<String, PartFormat> parts) {
        String written = declared.strip();
        if (!isMediaType(written)) {
            return Optional.empty();
        }
        String type = essence(written);
        return switch (type) {
            case "*/*", "application/*" -> Optional.of(JSON);
            case "text/*" -> Optional.of(new BodyFormat("text/plain", BodyKind.TEXT, Map.of()));
            case "application/x-www-form-urlencoded" -> Optional.of(new BodyFormat(written, BodyKind.FORM, parts));
            case "multipart/form-data", "multipart/*" ->
                Optional.of(new BodyFormat("multipart/form-data", BodyKind.MULTIPART, parts));
            default -> {
                if (type.startsWith("multipart/") || type.startsWith("*/")) {
                    yield Optional.empty();
                }
                BodyKind kind = isJson(type) ? BodyKind.JSON : isText(type) ? BodyKind.TEXT : BodyKind.BYTES;
                yield charset(written).isPresent()
                        ? Optional.of(new BodyFormat(written, kind, Map.of()))
                        : Optional.empty();
            }
        };
    }

    /** Whether the text is a media type that a header can have. */
    static boolean isMediaType(String text) {
        return text.length() <= 200 && MEDIA_TYPE.matcher(text).matches();
    }

    /** Returns the media type in lower case without parameters. */
    static String essence(String mediaType) {
        return mediaType.split(";", -1)[0].strip().toLowerCase(Locale.ROOT);
    }

    /** Whether {@code type}, in lower case without parameters, is JSON. */
    static boolean isJson(String type) {
        return type.endsWith("/json") || type.endsWith("+json");
    }

    /** Whether contents of {@code type}, in lower case without parameters, are texts other than JSON. */
    static boolean isText(String type) {
        return type.startsWith("text/") || type.endsWith("+xml") || type.endsWith("+yaml") || TEXT_TYPES.contains(type);
    }

    /**
     * The media type of a body of bytes: the declared one. For a range, such as {@code image}{@code /*}, it is the type
     * of the given file, if this is in the range.
     */
    String typeOfBytes(Optional<String> fileType) {
        if (!essence(contentType).endsWith("/*")) {
            return contentType;
        }
        String start = essence(contentType).substring(0, contentType.indexOf('/') + 1);
        return fileType.filter(type -> essence(type).startsWith(start)).orElse("application/octet-stream");
    }

    /** The character set of texts: as declared, otherwise UTF-8. */
    Charset charset() {
        return charset(contentType).orElse(StandardCharsets.UTF_8);
    }

    private static Optional<Charset> charset(String mediaType) {
        ContentType parsed = ContentType.parseLenient(mediaType);
        if (parsed == null || parsed.getParameter("charset") == null) {
            return Optional.of(StandardCharsets.UTF_8);
        }
        return Optional.ofNullable(parsed.getCharset()).filter(Charset::canEncode);
    }
}
