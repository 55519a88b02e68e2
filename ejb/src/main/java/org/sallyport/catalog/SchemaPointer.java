package org.sallyport.catalog;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** A reference of a schema to a place of its own document, such as {@code #/$defs/a~1b%20c}. */
record SchemaPointer(JsonPointer pointer) {
    /** Reads a reference; empty if it is no JSON pointer behind {@code #}. */
    static Optional<SchemaPointer> parse(String reference) {
        if (!reference.equals("#") && !reference.startsWith("#/")) {
            return Optional.empty();
        }
        try {
            String fragment = URLDecoder.decode(reference.substring(1).replace("+", "%2B"), StandardCharsets.UTF_8);
            return Optional.of(new SchemaPointer(JsonPointer.compile(fragment)));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // an escape is not valid
        }
    }

    JsonNode find(JsonNode root) {
        return root.at(pointer);
    }
}
