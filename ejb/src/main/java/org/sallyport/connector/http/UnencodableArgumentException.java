package org.sallyport.connector.http;

/** An argument cannot be written at its place in a request; the message names it. */
final class UnencodableArgumentException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnencodableArgumentException(String message) {
        super(message);
    }
}
