package org.sallyport.secret;

/** A tenant has as many secrets as it may have. */
public final class TooManySecretsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int maxSecrets;

    TooManySecretsException(int most) {
        super("there are " + most + " secrets, and more are not taken");
        this.maxSecrets = most;
    }

    /** How many it may have. */
    public int maxSecrets() {
        return maxSecrets;
    }
}
