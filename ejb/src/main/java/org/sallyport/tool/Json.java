package org.sallyport.tool;

/**
 * A JSON text that was validated at the boundary. Kept as text so that policy, journal and connector see exactly the
 * same characters.
 *
 * @param text the JSON text
 */
public record Json(String text) {
    /** The JSON {@code null}. */
    public static final Json NULL = new Json("null");

    /** The empty JSON object. */
    public static final Json EMPTY_OBJECT = new Json("{}");

    /** Returns an object with one member, whose value is a string. */
    public static Json member(String name, String value) {
        return new Json("{" + quote(name) + ":" + quote(value) + "}");
    }

    private static String quote(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }

    @Override
    public String toString() {
        return text;
    }
}
