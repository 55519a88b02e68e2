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

    @Override
    public String toString() {
        return text;
    }
}
