package org.sallyport.bench.measure;

/** Thrown if a measured operation gives a wrong result, at any speed. */
public final class WrongResultException extends Exception {
    private static final long serialVersionUID = 1L;

    public WrongResultException(String message) {
        super(message);
    }
}
