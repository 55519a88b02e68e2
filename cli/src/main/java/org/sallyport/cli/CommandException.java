package org.sallyport.cli;

import java.util.List;

/** A command failed. Holds the exit code, the message and advice for the user. */
final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;
    private final transient List<String> advice;

    /**
     * @param message the failure, in one line
     * @param advice observations and remedies, one per line
     */
    CommandException(ExitCode exit, String message, List<String> advice) {
        super(message);
        this.exitCode = exit;
        this.advice = List.copyOf(advice);
    }

    CommandException(ExitCode exit, String message, String... advice) {
        this(exit, message, List.of(advice));
    }

    ExitCode exitCode() {
        return exitCode;
    }

    List<String> advice() {
        return advice;
    }
}
