package org.sallyport.secret;

/** A tenant has the maximum number of secrets. */
public final class TooManySecretsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int maxSecrets;

    TooManySecretsException(int most) {
        super("the tenant has " + most + " secrets, which is the maximum");
        this.maxSecrets = most;
    }

    /** Returns the maximum number of secrets. */
    public int maxSecrets() {
        return maxSecrets;
    }
}
