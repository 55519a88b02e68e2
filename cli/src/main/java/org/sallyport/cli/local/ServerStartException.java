package org.sallyport.cli.local;

import java.util.List;

/** The service could not be started. The attempt left no process behind. */
public final class ServerStartException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<String> advice;

    /**
     * @param message the failure, in one line
     * @param advice observations and remedies, one per line
     */
    public ServerStartException(String message, List<String> advice) {
        super(message);
        this.advice = List.copyOf(advice);
    }

    public List<String> advice() {
        return advice;
    }
}
