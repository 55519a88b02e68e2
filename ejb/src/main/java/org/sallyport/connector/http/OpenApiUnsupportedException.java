package org.sallyport.connector.http;

/** An operation of a document cannot be called; the message says why, as a sentence about the operation. */
final class OpenApiUnsupportedException extends Exception {
    private static final long serialVersionUID = 1L;

    OpenApiUnsupportedException(String reason) {
        super(reason);
    }
}
