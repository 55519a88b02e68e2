package org.sallyport.quota;

import java.util.Arrays;
import java.util.Optional;

/** Type of a quota. */
public enum QuotaType {
    /** Executions that wait to start. */
    QUEUED("queued"),
    /** Executions that have not ended. */
    LIVE("live"),
    /** Tool calls per day of the store's clock, in UTC. */
    TOOL_CALLS("toolCalls"),
    /** Bytes of artifacts and journals. */
    STORED_BYTES("storedBytes");

    /** Maximum value of a quota; in practice no limit. */
    public static final long MAX_VALUE = 1_000_000_000_000_000L;

    private final String label;

    QuotaType(String word) {
        this.label = word;
    }

    /** Returns the name that clients use. */
    public String label() {
        return label;
    }

    public static Optional<QuotaType> of(String word) {
        return Arrays.stream(values()).filter(each -> each.label.equals(word)).findFirst();
    }
}
