package org.sallyport.bean;

import java.util.Objects;

/**
 * Any JSON value, as text. As a parameter of a tool it is valid JSON. As a result it must be valid JSON; otherwise the
 * call fails.
 *
 * @param text the JSON text
 */
public record RawJson(String text) {
    public RawJson {
        Objects.requireNonNull(text, "text");
    }

    @Override
    public String toString() {
        return text;
    }
}
