package org.sallyport.execution;

/** The database did not answer in time. Whether a write took effect is unknown; a read may be retried. */
public final class StoreUnavailableException extends RuntimeException {
    public StoreUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
