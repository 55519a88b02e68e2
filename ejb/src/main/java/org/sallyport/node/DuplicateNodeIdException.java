package org.sallyport.node;

/** Another node already has the id of this node. */
public final class DuplicateNodeIdException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param message names the other node and the remedy */
    public DuplicateNodeIdException(String message) {
        super(message);
    }
}
