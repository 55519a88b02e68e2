package org.sallyport.webhook;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** The unguessable part of the address of an inbound webhook: 256 random bits. Only its hash is stored. */
public final class InboundWebhookToken {
    private static final int RANDOM_BYTES = 32;
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{43}");

    private InboundWebhookToken() {}

    /** Returns a new token. */
    public static String generate(SecureRandom random) {
        byte[] noise = new byte[RANDOM_BYTES];
        random.nextBytes(noise);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(noise);
    }

    /** Returns whether the text has the form of a token. */
    public static boolean isWellFormed(String text) {
        return FORM.matcher(text).matches();
    }

    /** Returns the SHA-256 of a token, hexadecimal. A fast hash is sufficient because a token has 256 random bits. */
    public static String hash(String token) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
