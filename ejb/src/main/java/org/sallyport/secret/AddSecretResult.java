package org.sallyport.secret;

/** What became of a new secret. */
public enum AddSecretResult {
    STORED,
    /** The tenant has one of that name. */
    EXISTS,
    /** The tenant has as many as it may have. */
    TOO_MANY
}
