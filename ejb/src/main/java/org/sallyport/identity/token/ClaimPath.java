package org.sallyport.identity.token;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * Path of a claim: a JSON pointer, because some issuers nest their claims and others have slashes or dots in their
 * names.
 */
record ClaimPath(JsonPointer pointer) {

    /** Parses a JSON pointer if the text starts like one, otherwise the name of a claim. */
    static ClaimPath of(String text) {
        return new ClaimPath(
                text.startsWith("/")
                        ? JsonPointer.compile(text)
                        : JsonPointer.empty().appendProperty(text));
    }

    /** Returns the claim; a missing node when there is none. */
    JsonNode resolve(JsonNode claims) {
        return claims.at(pointer);
    }

    @Override
    public String toString() {
        return pointer.toString();
    }
}
