package org.sallyport.quota;

import java.util.Arrays;
import java.util.Optional;

/** What a tenant may take up. */
public enum Quota {
    /** Executions that wait to begin. */
    QUEUED("queued"),
    /** Executions that have not ended. */
    LIVE("live"),
    /** Calls of tools in a day of the store's clock, in UTC. */
    TOOL_CALLS("toolCalls"),
    /** Bytes of artifacts. */
    STORED_BYTES("storedBytes");

    /** As good as no limit. */
    public static final long MOST = 1_000_000_000_000_000L;

    private final String word;

    Quota(String word) {
        this.word = word;
    }

    /** As clients call it. */
    public String word() {
        return word;
    }

    public static Optional<Quota> of(String word) {
        return Arrays.stream(values()).filter(each -> each.word.equals(word)).findFirst();
    }
}
