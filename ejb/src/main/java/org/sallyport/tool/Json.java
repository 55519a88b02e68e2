package org.sallyport.tool;

/**
 * A JSON text that was checked to be well-formed where it entered. Carried as text so that policy, journal and connector
 * see exactly the same characters.
 *
 * @param text the JSON text
 */
public record Json(String text) {
    /** The JSON {@code null}. */
    public static final Json NULL = new Json("null");

    /** The empty JSON object. */
    public static final Json EMPTY_OBJECT = new Json("{}");

    /** An object with one member, which is a text. */
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
