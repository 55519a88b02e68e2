package org.sallyport.it.chaos;

/** The rules that {@link HistoryChecker} checks. */
public enum HistoryRule {
    STORED("accepted executions lost"),
    KNOWN("executions that no caller submitted"),
    ENDED("executions not ended"),
    ONE_END("executions without exactly one end in their trace, the last event"),
    ATTEMPTS("attempts without an event, or begun twice"),
    CALLS("calls that began or were answered twice"),
    RESULT("executions ended otherwise than they must"),
    OUTPUT("executions with another output"),
    EFFECTS("calls and effects doubled"),
    TIME_LIMIT("executions timed out before their limit"),
    CANCEL_REQUEST("executions cancelled without a request"),
    UNCHANGED("executions changed after their end"),
    BATCHES("batches lost or not ended"),
    SCHEDULE_TIMES("times of schedules without exactly one execution"),
    CALLBACKS("callbacks lost, or different from the execution or from each other");

    private final String violation;

    HistoryRule(String violation) {
        this.violation = violation;
    }

    /** Names that which violates the rule, in the plural. */
    public String violation() {
        return violation;
    }
}
