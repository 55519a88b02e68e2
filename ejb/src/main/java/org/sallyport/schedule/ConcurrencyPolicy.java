package org.sallyport.schedule;

/** What happens when a time comes and an execution of the schedule has not ended. */
public enum ConcurrencyPolicy {
    /** One more runs beside it. */
    ALLOW("allow"),
    /** The time is left out. */
    SKIP("skip"),
    /** The execution begins when the other has ended; however many times come meanwhile, one waits, unless all are caught up. */
    QUEUE("queue"),
    /** The other is cancelled, and when it has ended the execution begins. */
    CANCEL_PREVIOUS("cancel-previous");

    private final String text;

    ConcurrencyPolicy(String text) {
        this.text = text;
    }

    /** As clients write it. */
    public String text() {
        return text;
    }
}
