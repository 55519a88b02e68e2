package org.sallyport.callback;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of this installation from which the signing secrets of tenants are derived; the database alone reveals none
 * of them. Thread-safe.
 */
public final class CallbackSigningKey {
    private static final String ALGORITHM = "HmacSHA256";
    private static final String FILE_NAME = "callbacks.key";
    private static final int KEY_BYTES = 32;
    private static final int MIN_KEY_LENGTH = 32;

    private final byte[] key;

    private CallbackSigningKey(String key) {
        this.key = key.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Returns the configured key, or the one in the data directory, which the first start generates.
     *
     * @param configured the configured key; empty to use the data directory
     */
    public static CallbackSigningKey of(String configured, Path data, SecureRandom random) throws IOException {
        if (!configured.isEmpty()) {
            if (configured.length() < MIN_KEY_LENGTH) {
                throw new IllegalArgumentException(
                        "the key of callbacks must have at least " + MIN_KEY_LENGTH + " characters");
            }
            return new CallbackSigningKey(configured);
        }
        Path file = data.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            writeOwnerOnly(file, randomText(random, KEY_BYTES));
        }
        return new CallbackSigningKey(Files.readString(file).strip());
    }

    private static void writeOwnerOnly(Path file, String text) throws IOException {
        FileAttribute<?>[] ownerOnly =
                file.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        try (var channel = Files.newByteChannel(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly)) {
            channel.write(java.nio.ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
        } catch (FileAlreadyExistsException e) {
            // A concurrent start has stored a key first; use that one.
        }
    }

    /** Returns random URL-safe text. */
    static String randomText(SecureRandom random, int bytes) {
        byte[] noise = new byte[bytes];
        random.nextBytes(noise);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(noise);
    }

    /** Derives the secret of a tenant from a salt. */
    String deriveSecret(String tenant, String salt) {
        byte[] bytes = mac(key, (salt + ":" + tenant).getBytes(StandardCharsets.UTF_8));
        return "whsec_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Returns a fingerprint that distinguishes secrets without revealing them. */
    static String fingerprint(String secret) {
        return HexFormat.of().formatHex(mac(secret.getBytes(StandardCharsets.UTF_8), new byte[] {0}), 0, 16);
    }

    /** Returns the signature of a body sent at a time, in hexadecimal digits. */
    static String sign(String secret, long epochSecond, byte[] body) {
        byte[] start = (epochSecond + ".").getBytes(StandardCharsets.US_ASCII);
        byte[] signed = new byte[start.length + body.length];
        System.arraycopy(start, 0, signed, 0, start.length);
        System.arraycopy(body, 0, signed, start.length, body.length);
        return HexFormat.of().formatHex(mac(secret.getBytes(StandardCharsets.UTF_8), signed));
    }

    private static byte[] mac(byte[] key, byte[] text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }
}
