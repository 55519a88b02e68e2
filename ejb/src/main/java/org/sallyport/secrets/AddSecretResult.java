package org.sallyport.secrets;

/** Result of adding a secret. */
public enum AddSecretResult {
    STORED,
    /** The tenant already has a secret with that name. */
    EXISTS,
    /** The tenant has the maximum number of secrets. */
    TOO_MANY
}
