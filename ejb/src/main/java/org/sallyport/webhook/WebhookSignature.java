package org.sallyport.webhook;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * How a delivery proves that its sender knows a secret: a header with an HMAC-SHA256 in hexadecimal digits.
 *
 * @param scheme what the HMAC covers
 * @param header name of the header
 * @param secret name of the tenant's secret whose value is the key
 */
public record WebhookSignature(SignatureScheme scheme, String header, String secret) {
    /** Maximum difference between the time of a signature and the time of its delivery. */
    public static final Duration TOLERANCE = Duration.ofMinutes(5);

    private static final String ALGORITHM = "HmacSHA256";
    private static final int MAX_HEADER_LENGTH = 2_000;
    private static final int MAX_TIME_DIGITS = 12;

    /** What an HMAC covers. */
    public enum SignatureScheme {
        /** {@code t=SECONDS,v1=HEX}: the seconds since 1970, a dot, and the body. Limits the age of a delivery. */
        TIMESTAMPED,
        /** {@code sha256=HEX}, or {@code HEX}: the body. */
        BODY
    }

    /**
     * Returns the HMAC in hexadecimal digits if the header is genuine; empty otherwise. Compares in constant time.
     *
     * @param value the header as received
     * @param key value of the secret
     * @param body the body as received
     */
    public Optional<String> verify(String value, String key, byte[] body, Instant now) {
        if (value.length() > MAX_HEADER_LENGTH) {
            return Optional.empty();
        }
        return switch (scheme) {
            case TIMESTAMPED -> verifyTimestamped(value, key, body, now);
            case BODY -> {
                byte[] expected = hmac(key, body);
                yield matches(value.startsWith("sha256=") ? value.substring(7) : value, expected)
                        ? Optional.of(HexFormat.of().formatHex(expected))
                        : Optional.empty();
            }
        };
    }

    private static Optional<String> verifyTimestamped(String value, String key, byte[] body, Instant now) {
        String time = "";
        for (String part : value.split(",", -1)) {
            if (part.strip().startsWith("t=")) {
                time = part.strip().substring(2);
            }
        }
        if (!time.matches("[0-9]{1," + MAX_TIME_DIGITS + "}")) {
            return Optional.empty();
        }
        Duration age = Duration.between(Instant.ofEpochSecond(Long.parseLong(time)), now)
                .abs();
        if (age.compareTo(TOLERANCE) > 0) {
            return Optional.empty();
        }
        byte[] expected = hmac(key, time.getBytes(StandardCharsets.US_ASCII), new byte[] {'.'}, body);
        boolean genuine = false;
        for (String part : value.split(",", -1)) {
            // While a sender changes its secret, the header has the signatures of both.
            genuine |= part.strip().startsWith("v1=") && matches(part.strip().substring(3), expected);
        }
        return genuine ? Optional.of(HexFormat.of().formatHex(expected)) : Optional.empty();
    }

    private static boolean matches(String hexadecimal, byte[] expected) {
        return MessageDigest.isEqual(
                HexFormat.of().formatHex(expected).getBytes(StandardCharsets.US_ASCII),
                hexadecimal.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] hmac(String key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }
}
