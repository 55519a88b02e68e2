package org.sallyport.execution;

import java.util.Optional;
import java.util.stream.Stream;

/** What an execution may use besides time, memory, calls and output. Stored of those alone that ask for it. */
public enum AdditionalLimit {
    /** Calls of tools open at one time. */
    CONCURRENT_CALLS("concurrentCalls"),
    /** Characters of the result as JSON. */
    RESULT_CHARS("resultChars"),
    /** Characters of one call's arguments as JSON. */
    ARGUMENT_CHARS("argumentChars"),
    /** Timers pending at one time. */
    TIMERS("timers"),
    /** Artifacts written. */
    ARTIFACTS("artifacts"),
    /** Bytes of one artifact. */
    ARTIFACT_BYTES("artifactBytes"),
    /** Events emitted. */
    EVENTS("events");

    private final String member;

    AdditionalLimit(String member) {
        this.member = member;
    }

    /** Its name among the limits of a submission. */
    public String member() {
        return member;
    }

    /** The one of that name. */
    public static Optional<AdditionalLimit> of(String member) {
        return Stream.of(values()).filter(each -> each.member.equals(member)).findFirst();
    }
}
