package org.sallyport.connector.http;

/** A request may not go there; the message says why, without more of the installation's network than was asked for. */
final class EgressDeniedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EgressDeniedException(String message) {
        super(message);
    }
}
