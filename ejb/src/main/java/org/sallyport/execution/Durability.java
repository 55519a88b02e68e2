package org.sallyport.execution;

import java.util.Locale;

/** Whether an execution outlives the node that runs it. */
public enum Durability {
    /** What happened is stored before each effect, and another node goes on. */
    JOURNAL,
    /** Nothing is stored for the sake of going on: it is lost with its node. */
    NONE;

    /** The stable name: {@code journal} or {@code none}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reads what {@link #text()} gave; {@link IllegalArgumentException} for anything else. */
    public static Durability of(String text) {
        for (Durability each : values()) {
            if (each.text().equals(text)) {
                return each;
            }
        }
        throw new IllegalArgumentException("no durability: " + text);
    }
}
