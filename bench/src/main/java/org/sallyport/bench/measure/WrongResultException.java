package org.sallyport.bench.measure;

/** Something did its work fast or slowly, but wrongly. */
public final class WrongResultException extends Exception {
    private static final long serialVersionUID = 1L;

    public WrongResultException(String message) {
        super(message);
    }
}
