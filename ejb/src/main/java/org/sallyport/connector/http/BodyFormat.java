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
 * @param contentType the media type with its parameters, as it is sent
 * @param declared whether the media type is declared for the operation; otherwise a header of the backend replaces it
 * @param kind how the argument is encoded
 * @param parts formats of the members of a form, where they are declared
 */
record BodyFormat(String contentType, boolean declared, BodyKind kind, Map<String, PartFormat> parts) {
    private static final String APPLICATION_JSON = "application/json";
    private static final String MULTIPART_FORM = "multipart/form-data";
    /** The format of bodies without a declared media type. */
    static final BodyFormat UNDECLARED = new BodyFormat(APPLICATION_JSON, false, BodyKind.JSON, Map.of());

    private static final Pattern MEDIA_TYPE =
            Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+([ \\t]*;[ -~]*)?");
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
        if (type.indexOf('*') >= 0) {
            return ofRange(type, parts);
        }
        if (type.equals("application/x-www-form-urlencoded")) {
            return Optional.of(new BodyFormat(written, true, BodyKind.FORM, parts));
        }
        if (type.startsWith("multipart/")) {
            return type.equals(MULTIPART_FORM) ? Optional.of(multipart(parts)) : Optional.empty();
        }
        BodyKind kind = isJson(type) ? BodyKind.JSON : isText(type) ? BodyKind.TEXT : BodyKind.BYTES;
        return charset(written).isPresent()
                ? Optional.of(new BodyFormat(written, true, kind, Map.of()))
                : Optional.empty();
    }

    /** A range cannot be sent: the format is of a media type in it, or the file says which one it has. */
    private static Optional<BodyFormat> ofRange(String range, Map<String, PartFormat> parts) {
        if (isUniversal(range) || range.endsWith("*+json")) {
            return Optional.of(new BodyFormat(APPLICATION_JSON, true, BodyKind.JSON, Map.of()));
        }
        return switch (range) {
            case "application/*+xml" -> Optional.of(new BodyFormat("application/xml", true, BodyKind.TEXT, Map.of()));
            case "text/*" -> Optional.of(new BodyFormat("text/plain", true, BodyKind.TEXT, Map.of()));
            case "multipart/*" -> Optional.of(multipart(parts));
            default ->
                range.indexOf('*') == range.length() - 1 && range.endsWith("/*")
                        ? Optional.of(new BodyFormat(range, true, BodyKind.BYTES, Map.of()))
                        : Optional.empty();
        };
    }

    private static BodyFormat multipart(Map<String, PartFormat> parts) {
        return new BodyFormat(MULTIPART_FORM, true, BodyKind.MULTIPART, parts);
    }

    /** Returns the format of bytes of any media type. */
    static BodyFormat ofAnyBytes() {
        return new BodyFormat("application/octet-stream", true, BodyKind.BYTES, Map.of());
    }

    /** Whether {@code type}, in lower case without parameters, is a range that JSON and bytes are in. */
    static boolean isUniversal(String type) {
        return type.equals("*/*") || type.equals("application/*");
    }

    /** Whether the format is exactly {@code application/json}, but for parameters. */
    boolean isPlainJson() {
        return essence(contentType).equals(APPLICATION_JSON);
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
     * of the given file; empty if the file has no type, or another one.
     */
    Optional<String> typeOfBytes(Optional<String> fileType) {
        String declaredType = essence(contentType);
        if (!declaredType.endsWith("/*")) {
            return Optional.of(contentType);
        }
        String start = declaredType.substring(0, declaredType.length() - 1);
        return fileType.filter(type -> essence(type).startsWith(start));
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
