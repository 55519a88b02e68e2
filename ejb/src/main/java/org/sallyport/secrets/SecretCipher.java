package org.sallyport.secrets;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts secrets with the keys of the installation: the first key encrypts, all keys decrypt. Uses AES-256-GCM with a
 * new nonce for each encryption. Tenant, name and version are authenticated with the value, so that a copied row does
 * not decrypt elsewhere. Thread-safe.
 */
public final class SecretCipher {
    /** Size of a key in bytes. */
    public static final int KEY_BYTES = 32;

    private static final String TRANSFORMATION = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final int KEY_ID_LENGTH = 16;

    private final Map<String, SecretKeySpec> keys = new LinkedHashMap<>();
    private final String currentKeyId;
    private final SecureRandom random;

    /** @param keys at least one key of {@value #KEY_BYTES} bytes */
    public SecretCipher(List<byte[]> keys, SecureRandom random) {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("at least one key is required");
        }
        for (byte[] key : keys) {
            if (key.length != KEY_BYTES) {
                throw new IllegalArgumentException("a key must have " + KEY_BYTES + " bytes, not " + key.length);
            }
            this.keys.put(keyIdOf(key), new SecretKeySpec(key, "AES"));
        }
        this.currentKeyId = this.keys.keySet().iterator().next();
        this.random = random;
    }

    /**
     * Parses keys in Base64, separated by commas or white space; '#' starts a comment up to the end of the line. Throws
     * {@link IllegalArgumentException} without the keys in its message.
     */
    public static SecretCipher parse(String text, SecureRandom random) {
        List<byte[]> keys = text.lines()
                .map(line -> line.replaceFirst("#.*", ""))
                .flatMap(line -> Arrays.stream(line.split("[,\\s]+", -1)))
                .filter(word -> !word.isEmpty())
                .map(SecretCipher::decodeKey)
                .toList();
        return new SecretCipher(keys, random);
    }

    private static byte[] decodeKey(String word) {
        try {
            return Base64.getDecoder().decode(word);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("a key is not Base64 (create one: openssl rand -base64 32)");
        }
    }

    /** Identifies a key without disclosing it. */
    private static String keyIdOf(byte[] key) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update("sallyport key id".getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(key)).substring(0, KEY_ID_LENGTH);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Returns whether {@code keyId} is the key that encrypts. */
    boolean isCurrentKey(String keyId) {
        return keyId.equals(currentKeyId);
    }

    /** Returns whether this node has the key with that id. */
    boolean hasKey(String keyId) {
        return keys.containsKey(keyId);
    }

    /** Encrypts a value and binds it to its tenant, name and version. */
    EncryptedSecret encrypt(Secret about, String value) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, currentKeyId, nonce, about);
            byte[] sealed = cipher.doFinal(value.getBytes(StandardCharsets.UTF_8));
            byte[] both = ByteBuffer.allocate(nonce.length + sealed.length)
                    .put(nonce)
                    .put(sealed)
                    .array();
            return new EncryptedSecret(about, currentKeyId, Base64.getEncoder().encodeToString(both));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime does not support AES-256-GCM", e);
        }
    }

    /**
     * Decrypts a value. Throws {@link SecretKeyMissingException} when the key is missing, and
     * {@link SecretUnreadableException} when the secret was encrypted for another place.
     */
    String decrypt(EncryptedSecret secret) {
        String name = secret.metadata().name();
        if (!hasKey(secret.keyId())) {
            throw new SecretKeyMissingException("secret '" + name + "' is encrypted with key " + secret.keyId()
                    + ", which this node does not have; it has " + String.join(", ", keys.keySet())
                    + " (settings sallyport.secrets.key-file, sallyport.secrets.keys)");
        }
        try {
            byte[] both = Base64.getDecoder().decode(secret.ciphertext());
            byte[] nonce = Arrays.copyOf(both, NONCE_BYTES);
            Cipher cipher = cipher(Cipher.DECRYPT_MODE, secret.keyId(), nonce, secret.metadata());
            return new String(cipher.doFinal(both, NONCE_BYTES, both.length - NONCE_BYTES), StandardCharsets.UTF_8);
        } catch (AEADBadTagException e) {
            throw new SecretUnreadableException("secret '" + name
                    + "' cannot be decrypted: its stored value was encrypted for another secret or version, or was"
                    + " changed");
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new SecretUnreadableException(
                    "secret '" + name + "' cannot be decrypted: its stored value is damaged");
        }
    }

    private Cipher cipher(int mode, String keyId, byte[] nonce, Secret about) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(TRANSFORMATION);
        cipher.init(mode, keys.get(keyId), new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(associatedData(about));
        return cipher;
    }

    /** Prefixes each part with its length, so that the associated data is unambiguous. */
    private static byte[] associatedData(Secret about) {
        byte[] tenant = about.tenant().getBytes(StandardCharsets.UTF_8);
        byte[] name = about.name().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(12 + tenant.length + name.length)
                .putInt(tenant.length)
                .put(tenant)
                .putInt(name.length)
                .put(name)
                .putInt(about.version())
                .array();
    }
}
