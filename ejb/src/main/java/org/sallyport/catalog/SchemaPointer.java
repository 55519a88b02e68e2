package org.sallyport.catalog;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** JSON pointers in the fragments of references, such as {@code /$defs/a~1b%20c}. */
public final class SchemaPointer {
    private SchemaPointer() {}

    /** Returns the pointer in a fragment; empty if it has an escape that is not valid, or is no pointer. */
    public static Optional<JsonPointer> parse(String fragment) {
        try {
            return Optional.of(
                    JsonPointer.compile(URLDecoder.decode(fragment.replace("+", "%2B"), StandardCharsets.UTF_8)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the place to which a pointer leads; empty if there is none, or if it cannot be read. */
    static Optional<JsonNode> find(JsonNode root, String fragment) {
        return parse(fragment).map(root::at).filter(found -> !found.isMissingNode());
    }
}
