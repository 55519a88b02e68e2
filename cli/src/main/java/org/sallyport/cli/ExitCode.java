package org.sallyport.cli;

/** How a command ended, as its exit code says it. */
enum ExitCode {
    COMPLETED(0, "done; of an execution or of tests that were waited for: all went well"),
    FAILED(1, "the execution, a test, or an item of the batch failed"),
    USAGE(2, "the command line was not understood, or a file that it names cannot be read"),
    CANCELLED(3, "the execution was cancelled"),
    TIMED_OUT(4, "the execution ran out of time"),
    UNREACHABLE(5, "no service answers, it is not ready, it failed (5xx), or it does not accept the key or its roles"),
    REFUSED(6, "the service refused the request, as it does code with a syntax error");

    private final int code;
    private final String meaning;

    ExitCode(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    /** What it says, for people. */
    String meaning() {
        return meaning;
    }

    int code() {
        return code;
    }

    /** What a finished execution's state comes to; states that this version does not know count as failed. */
    static ExitCode ofState(String state) {
        return switch (state) {
            case "COMPLETED" -> COMPLETED;
            case "CANCELLED" -> CANCELLED;
            case "TIMED_OUT" -> TIMED_OUT;
            default -> FAILED;
        };
    }
}
