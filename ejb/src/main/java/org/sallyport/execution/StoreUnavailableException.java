package org.sallyport.execution;

/** The database did not answer in time. A read may be retried; of a write see {@link #maybeStored()}. */
public final class StoreUnavailableException extends RuntimeException {
    private final boolean maybeStored;

    /** Creates the exception for a read, or for a write that is not stored. */
    public StoreUnavailableException(String message, Throwable cause) {
        this(message, cause, false);
    }

    /** @param maybeStored whether the write may be stored, although the database did not confirm that */
    public StoreUnavailableException(String message, Throwable cause, boolean maybeStored) {
        super(message, cause);
        this.maybeStored = maybeStored;
    }

    /**
     * Whether the write may be stored, now or later: the database did not answer its commit. False only if the write
     * certainly is not stored. A read never stores anything.
     */
    public boolean maybeStored() {
        return maybeStored;
    }
}
