package org.sallyport.token;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One attempt to log in, which its browser keeps while it is with the provider: 256 random bits, when it ends, and where it leads.
 * All that the provider hears of it follows by a hash, so that nothing of it is stored here, and each node knows it.
 *
 * @param text what the browser keeps: letters, digits, {@code -}, {@code _} and dots
 */
record Ticket(String text, Instant end, String returnTo) {
    /** Where people come out who did not say where to. */
    static final String CONSOLE = "/console";

    static final Duration LONGEST = Duration.ofMinutes(10);

    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{43}\\.([0-9]{1,12})\\.([A-Za-z0-9_-]{0,1400})");
    /** Pages of the console and nothing else: no host, no backslash, nothing that ends a line. */
    private static final Pattern OWN =
            Pattern.compile("/console(?:/[A-Za-z0-9._~%-]++)*+/?(?:\\?[A-Za-z0-9._~%!$&'()*+,;=:@/?-]*+)?");

    private static final Pattern DOORS = Pattern.compile("/console/(?:oidc|session|files)(?:[/?].*)?");
    private static final int LONGEST_PATH = 1_000;
    private static final int BYTES = 32;

    /** The address if it is that of a page of the console, else that of its first page. */
    static String own(String path) {
        return path.length() <= LONGEST_PATH
                        && OWN.matcher(path).matches()
                        && !path.contains("..")
                        && !DOORS.matcher(path).matches()
                ? path
                : CONSOLE;
    }

    static Ticket fresh(SecureRandom random, Instant now, String returnTo) {
        byte[] noise = new byte[BYTES];
        random.nextBytes(noise);
        Instant end = now.plus(LONGEST);
        String path = own(returnTo);
        return new Ticket(
                base64(noise) + "." + end.getEpochSecond() + "." + base64(path.getBytes(StandardCharsets.US_ASCII)),
                end,
                path);
    }

    /** What a browser brings back; empty when it is none, or over. */
    static Optional<Ticket> read(String text, Instant now) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        Instant end = Instant.ofEpochSecond(Long.parseLong(form.group(1)));
        if (!now.isBefore(end) || end.isAfter(now.plus(LONGEST))) {
            return Optional.empty();
        }
        try {
            String path = new String(Base64.getUrlDecoder().decode(form.group(2)), StandardCharsets.US_ASCII);
            return Optional.of(new Ticket(text, end, own(path)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** What the provider gives back with its answer. */
    String state() {
        return follows("state");
    }

    /** What the ID token must hold. */
    String nonce() {
        return follows("nonce");
    }

    /** What redeems the code besides the client's secret (RFC 7636). */
    String verifier() {
        return follows("verifier");
    }

    /** What the provider hears of the verifier beforehand. */
    String challenge() {
        return base64(sha256(verifier()));
    }

    private String follows(String what) {
        return base64(sha256(what + " " + text));
    }

    /** Whether two texts are the same; in constant time. */
    static boolean same(String expected, String given) {
        return MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Whoever has it is the browser that began. */
    @Override
    public String toString() {
        return "a login that ends at " + end;
    }
}
