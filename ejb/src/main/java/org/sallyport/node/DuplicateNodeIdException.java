package org.sallyport.node;

/** Another node has the id that this one was given. */
public final class DuplicateNodeIdException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param message says who has it and what to do */
    public DuplicateNodeIdException(String message) {
        super(message);
    }
}
