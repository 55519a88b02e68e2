package org.sallyport.cli;

import java.util.List;

/** A command that cannot go on, with what a person needs to know. */
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Exit exit;
    private final transient List<String> advice;

    /**
     * @param message what happened, one line
     * @param advice what was seen and what to do, a line each
     */
    CommandFailure(Exit exit, String message, List<String> advice) {
        super(message);
        this.exit = exit;
        this.advice = List.copyOf(advice);
    }

    CommandFailure(Exit exit, String message, String... advice) {
        this(exit, message, List.of(advice));
    }

    Exit exit() {
        return exit;
    }

    List<String> advice() {
        return advice;
    }
}
