package org.sallyport.connector.http;

/**
 * A request to this address is not allowed. The message gives the reason, and reveals no more of the installation's
 * network than the caller asked for.
 */
final class EgressDeniedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EgressDeniedException(String message) {
        super(message);
    }
}
