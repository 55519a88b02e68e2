package org.sallyport.store.jpa;

/**
 * Makes JSON text storable: a lone surrogate or NUL, which JSON text can contain only inside a string, becomes its
 * <code>&#92;uXXXX</code> escape. The result is valid JSON of the same value.
 */
final class JsonSanitizer {
    private JsonSanitizer() {}

    /** Returns the text to store; the same instance if it needs no escaping. */
    static String sanitize(String json) {
        int from = LosslessText.firstUnstorable(json, 0, false);
        if (from < 0) {
            return json;
        }
        StringBuilder storable = new StringBuilder(json.length() + 64);
        int start = 0;
        while (from >= 0) {
            storable.append(json, start, from).append("\\u").append(LosslessText.hex(json.charAt(from)));
            start = from + 1;
            from = LosslessText.firstUnstorable(json, start, false);
        }
        return storable.append(json, start, json.length()).toString();
    }
}
