package org.sallyport.connector.http;

/**
 * The body of a request.
 *
 * @param contentType value of the header {@code Content-Type}
 * @param content the bytes
 */
@SuppressWarnings("ArrayRecordComponent")
record EncodedBody(String contentType, byte[] content) {}
