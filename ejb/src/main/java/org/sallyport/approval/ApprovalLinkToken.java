package org.sallyport.approval;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The token in a link: the id of the link and 256 random bits that only its holder knows.
 *
 * @param link id of the link
 * @param secret the random bits, as text
 */
public record ApprovalLinkToken(UUID link, String secret) {
    /** Number of random bytes of a secret. */
    public static final int SECRET_BYTES = 32;

    private static final Pattern TOKEN_PATTERN = Pattern.compile("sl_([0-9a-f]{32})_([A-Za-z0-9_-]{43})");

    /** @param noise {@link #SECRET_BYTES} random bytes */
    public static ApprovalLinkToken of(UUID link, byte[] noise) {
        return new ApprovalLinkToken(
                link, Base64.getUrlEncoder().withoutPadding().encodeToString(noise));
    }

    /** Parses a token. Empty when the text is not a token. */
    public static Optional<ApprovalLinkToken> parse(String text) {
        Matcher form = TOKEN_PATTERN.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        String id = form.group(1);
        UUID link =
                new UUID(Long.parseUnsignedLong(id.substring(0, 16), 16), Long.parseUnsignedLong(id.substring(16), 16));
        return Optional.of(new ApprovalLinkToken(link, form.group(2)));
    }

    /** Returns the token in the form that links carry. */
    public String encode() {
        return "sl_" + link.toString().replace("-", "") + "_" + secret;
    }

    /**
     * Returns the digest that is stored in place of the secret. An attacker who can only read or write the store can
     * neither create a link nor make one count for another approval, other arguments, another person or a longer time.
     * SHA-256, hexadecimal; a fast hash is sufficient for 256 random bits.
     *
     * @param shown hash of the question that is decided: {@link ApprovalRequest#hash()}
     */
    public String digest(ApprovalLink link, String shown) {
        String sealed = String.join(
                "\n",
                secret,
                link.id().toString(),
                link.tenant(),
                link.approval().toString(),
                shown,
                link.creator().id(),
                Long.toString(link.expiresAt().toEpochMilli()));
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(sealed.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * Returns whether this is the token of {@code link} for the question with the hash {@code shown}. Compares in
     * constant time.
     */
    public boolean matches(ApprovalLink link, String shown) {
        return MessageDigest.isEqual(
                link.digest().getBytes(StandardCharsets.US_ASCII),
                digest(link, shown).getBytes(StandardCharsets.US_ASCII));
    }

    /** Omits the secret. */
    @Override
    public String toString() {
        return "token of link " + link;
    }
}
