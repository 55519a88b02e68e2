package org.sallyport.catalog;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** JSON pointers in the fragments of references, such as {@code /$defs/a~1b%20c}. */
final class SchemaPointer {
    private SchemaPointer() {}

    /** Returns the place to which a pointer leads; empty if there is none, or if an escape is not valid. */
    static Optional<JsonNode> find(JsonNode root, String fragment) {
        try {
            String pointer = URLDecoder.decode(fragment.replace("+", "%2B"), StandardCharsets.UTF_8);
            return Optional.of(root.at(JsonPointer.compile(pointer))).filter(found -> !found.isMissingNode());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
