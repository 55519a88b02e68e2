package org.sallyport.cli;

/** How a command ended, as its exit code says it. */
enum Exit {
    COMPLETED(0),
    FAILED(1),
    USAGE(2),
    CANCELLED(3),
    TIMED_OUT(4),
    /** The service was not there, could not be started, or did not accept the key. */
    UNREACHABLE(5),
    /** The service refused the request, as it does code with a syntax error. */
    REFUSED(6);

    private final int code;

    Exit(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** What a finished execution's state comes to; states that this version does not know count as failed. */
    static Exit ofState(String state) {
        return switch (state) {
            case "COMPLETED" -> COMPLETED;
            case "CANCELLED" -> CANCELLED;
            case "TIMED_OUT" -> TIMED_OUT;
            default -> FAILED;
        };
    }
}
