package org.sallyport.execution;

import java.util.Locale;

/** Whether an execution outlives the node that runs it. */
public enum Durability {
    /** Each effect is journaled before it happens, and another node can continue. */
    JOURNAL,
    /** No journal is kept for recovery: the execution is lost with its node. */
    NONE;

    /** Returns the stable name: {@code journal} or {@code none}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Parses the form of {@link #text()}. Throws {@link IllegalArgumentException} for any other text. */
    public static Durability of(String text) {
        for (Durability each : values()) {
            if (each.text().equals(text)) {
                return each;
            }
        }
        throw new IllegalArgumentException("unknown durability: " + text);
    }
}
