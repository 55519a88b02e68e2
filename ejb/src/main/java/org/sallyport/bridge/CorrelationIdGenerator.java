package org.sallyport.bridge;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Generates correlation ids that other parties cannot guess. The first half of an id is random; the second half is a
 * MAC of it with a key that exists only in this process. A late reply to a call of this node can thus be told from a
 * forged one without storing issued ids. Thread-safe.
 */
final class CorrelationIdGenerator {
    private static final String MAC_ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;
    private static final int HALF_BYTES = 8;
    private static final int HALF = 2 * HALF_BYTES;

    private final RandomGenerator random;
    private final SecretKeySpec key;

    /** @param random must be cryptographically strong */
    CorrelationIdGenerator(RandomGenerator random) {
        this.random = random;
        byte[] bytes = new byte[KEY_BYTES];
        random.nextBytes(bytes);
        this.key = new SecretKeySpec(bytes, MAC_ALGORITHM);
    }

    /** Generates a new correlation id. */
    String next() {
        String chance = HexFormat.of().toHexDigits(random.nextLong());
        return chance + mac(chance);
    }

    /** Whether this generator issued the correlation id. */
    boolean isIssuedHere(String name) {
        return name.length() == 2 * HALF
                && MessageDigest.isEqual(bytes(name.substring(HALF)), bytes(mac(name.substring(0, HALF))));
    }

    private String mac(String chance) {
        try {
            Mac mac = Mac.getInstance(MAC_ALGORITHM);
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal(bytes(chance)), 0, HALF_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HMAC-SHA256", e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
