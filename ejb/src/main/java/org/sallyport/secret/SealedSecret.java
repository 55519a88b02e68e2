package org.sallyport.secret;

/**
 * A secret as it is stored.
 *
 * @param about what is known of it
 * @param keyId which key opens it
 * @param sealed its value, which nobody can read without that key
 */
public record SealedSecret(Secret about, String keyId, String sealed) {}
