package org.sallyport.schedule;

/** How a schedule fires while an earlier execution of it has not ended. */
public enum ConcurrencyPolicy {
    /** The new execution runs concurrently. */
    ALLOW("allow"),
    /** The time is skipped. */
    SKIP("skip"),
    /**
     * The new execution starts when the earlier one has ended. However many times come due meanwhile, one execution
     * waits, unless the misfire policy makes up for all.
     */
    QUEUE("queue"),
    /** The earlier execution is cancelled; the new one starts when it has ended. */
    CANCEL_PREVIOUS("cancel-previous");

    private final String text;

    ConcurrencyPolicy(String text) {
        this.text = text;
    }

    /** Returns the name in the API. */
    public String text() {
        return text;
    }
}
