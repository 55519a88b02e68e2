package org.sallyport.policyengine;

/** The arguments of a call are not JSON that all parsers read in the same way, so no rule can judge them. */
final class UnreadableArgumentsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnreadableArgumentsException(Throwable cause) {
        super("the arguments of the call are not JSON that can be read safely", cause);
    }

    UnreadableArgumentsException() {
        super("the arguments of the call are empty");
    }
}
