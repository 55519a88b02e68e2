package org.sallyport.secrets;

/**
 * A secret as it is stored.
 *
 * @param metadata metadata of the secret
 * @param keyId id of the encryption key
 * @param ciphertext encrypted value
 */
public record EncryptedSecret(Secret metadata, String keyId, String ciphertext) {}
