package org.sallyport.node;

/** Another node has the id that this one was given. */
public final class NodeTakenException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param message says who has it and what to do */
    public NodeTakenException(String message) {
        super(message);
    }
}
