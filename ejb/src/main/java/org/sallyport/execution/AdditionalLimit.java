package org.sallyport.execution;

import java.util.Optional;
import java.util.stream.Stream;

/** Limits of an execution besides time, memory, calls and output. Stored only for executions that request them. */
public enum AdditionalLimit {
    /** Tool calls open at the same time. */
    CONCURRENT_CALLS("concurrentCalls"),
    /** Characters of the result as JSON. */
    RESULT_CHARS("resultChars"),
    /** Characters of one call's arguments as JSON. */
    ARGUMENT_CHARS("argumentChars"),
    /** Timers pending at the same time. */
    TIMERS("timers"),
    /** Artifacts written. */
    ARTIFACTS("artifacts"),
    /** Bytes of one artifact. */
    ARTIFACT_BYTES("artifactBytes"),
    /** Events emitted. */
    EVENTS("events"),
    /** Bytes of the journal. */
    JOURNAL_BYTES("journalBytes");

    private final String member;

    AdditionalLimit(String member) {
        this.member = member;
    }

    /** Returns the name of the limit in the limits of a submission. */
    public String member() {
        return member;
    }

    /** Returns the limit of that name; empty when there is none. */
    public static Optional<AdditionalLimit> of(String member) {
        return Stream.of(values()).filter(each -> each.member.equals(member)).findFirst();
    }
}
