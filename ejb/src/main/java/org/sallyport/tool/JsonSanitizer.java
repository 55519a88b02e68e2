package org.sallyport.tool;

import java.util.HexFormat;

/**
 * Makes JSON text that UTF-8 can represent and every database can store: a lone surrogate or NUL, which JSON text can
 * contain only inside a string, becomes its <code>&#92;uXXXX</code> escape. The result is valid JSON of the same value.
 */
public final class JsonSanitizer {
    private JsonSanitizer() {}

    /** Returns the sanitized text; the same instance if it needs no escaping. */
    public static String sanitize(String json) {
        StringBuilder sanitized = null;
        int copied = 0;
        int length = json.length();
        for (int i = 0; i < length; i++) {
            char c = json.charAt(i);
            if (c != 0 && !Character.isSurrogate(c)) {
                continue;
            }
            if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(json.charAt(i + 1))) {
                i++;
                continue;
            }
            sanitized = sanitized == null ? new StringBuilder(length + 64) : sanitized;
            sanitized
                    .append(json, copied, i)
                    .append("\\u")
                    .append(HexFormat.of().toHexDigits(c));
            copied = i + 1;
        }
        return sanitized == null ? json : sanitized.append(json, copied, length).toString();
    }
}
