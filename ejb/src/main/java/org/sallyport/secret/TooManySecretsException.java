package org.sallyport.secret;

/** A tenant has as many secrets as it may have. */
public final class TooManySecretsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int most;

    TooManySecretsException(int most) {
        super("there are " + most + " secrets, and more are not taken");
        this.most = most;
    }

    /** How many it may have. */
    public int most() {
        return most;
    }
}
