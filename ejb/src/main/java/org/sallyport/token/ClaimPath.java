package org.sallyport.token;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;

/** Where a claim is: the pointer of a JSON document, since some issuers nest their claims, others have slashes and dots in names. */
record ClaimPath(JsonPointer pointer) {

    /** A JSON pointer if it begins as one does, else the name of a claim. */
    static ClaimPath of(String text) {
        return new ClaimPath(
                text.startsWith("/")
                        ? JsonPointer.compile(text)
                        : JsonPointer.empty().appendProperty(text));
    }

    /** What is there; missing when nothing is. */
    JsonNode resolve(JsonNode claims) {
        return claims.at(pointer);
    }

    @Override
    public String toString() {
        return pointer.toString();
    }
}
