package org.sallyport.cli;

/** Exit codes of all commands. */
enum ExitCode {
    COMPLETED(0, "success; if the command waits for an execution, a batch or tests: they completed or passed"),
    FAILED(1, "the execution, a test, or an item of the batch failed"),
    USAGE(2, "the command line is invalid, or a file in it cannot be read"),
    CANCELLED(3, "the execution was cancelled"),
    TIMED_OUT(4, "the execution timed out"),
    UNREACHABLE(5, "the service does not answer, is not ready, failed (5xx), or does not accept the key or its roles"),
    REFUSED(6, "the service refused the request, for example code with a syntax error");

    private final int code;
    private final String meaning;

    ExitCode(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    /** Returns the meaning, as text for people. */
    String meaning() {
        return meaning;
    }

    int code() {
        return code;
    }

    /** Returns the exit code for the state of a finished execution. An unknown state counts as failed. */
    static ExitCode ofState(String state) {
        return switch (state) {
            case "COMPLETED" -> COMPLETED;
            case "CANCELLED" -> CANCELLED;
            case "TIMED_OUT" -> TIMED_OUT;
            default -> FAILED;
        };
    }
}
