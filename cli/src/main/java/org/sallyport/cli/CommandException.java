package org.sallyport.cli;

import java.util.List;

/** A command that cannot go on, with what a person needs to know. */
final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;
    private final transient List<String> advice;

    /**
     * @param message what happened, one line
     * @param advice what was seen and what to do, a line each
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
