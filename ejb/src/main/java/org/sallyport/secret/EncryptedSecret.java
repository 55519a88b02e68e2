package org.sallyport.secret;

/**
 * A secret as it is stored.
 *
 * @param metadata what is known of it
 * @param keyId which key opens it
 * @param ciphertext its value, which nobody can read without that key
 */
public record EncryptedSecret(Secret metadata, String keyId, String ciphertext) {}
