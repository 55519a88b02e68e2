package org.sallyport.cli.local;

import java.util.List;

/** The service could not be started; nothing of the attempt is left. */
public final class ServerStartException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<String> advice;

    /**
     * @param message what happened, one line
     * @param advice what was seen and what to do, a line each
     */
    public ServerStartException(String message, List<String> advice) {
        super(message);
        this.advice = List.copyOf(advice);
    }

    public List<String> advice() {
        return advice;
    }
}
