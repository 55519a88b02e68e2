package org.sallyport.quota;

import java.util.Arrays;
import java.util.Optional;

/** What a tenant may take up. */
public enum QuotaType {
    /** Executions that wait to begin. */
    QUEUED("queued"),
    /** Executions that have not ended. */
    LIVE("live"),
    /** Calls of tools in a day of the store's clock, in UTC. */
    TOOL_CALLS("toolCalls"),
    /** Bytes of artifacts. */
    STORED_BYTES("storedBytes");

    /** As good as no limit. */
    public static final long MAX_VALUE = 1_000_000_000_000_000L;

    private final String label;

    QuotaType(String word) {
        this.label = word;
    }

    /** As clients call it. */
    public String label() {
        return label;
    }

    public static Optional<QuotaType> of(String word) {
        return Arrays.stream(values()).filter(each -> each.label.equals(word)).findFirst();
    }
}
