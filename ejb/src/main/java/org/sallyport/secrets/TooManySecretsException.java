package org.sallyport.secrets;

/** A tenant has the maximum number of secrets. */
public final class TooManySecretsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int maxSecrets;

    TooManySecretsException(int maxSecrets) {
        super("the tenant has " + maxSecrets + " secrets, which is the maximum");
        this.maxSecrets = maxSecrets;
    }

    /** Returns the maximum number of secrets. */
    public int maxSecrets() {
        return maxSecrets;
    }
}
