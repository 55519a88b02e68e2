package org.sallyport.identity.token;

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
 * State of one login attempt, which the browser keeps while it is at the provider: 256 random bits, the expiry and the
 * page to return to. All values that the provider receives are derived from it by a hash. Thus the service stores
 * nothing and any node can finish the login.
 *
 * @param encoded text that the browser keeps: letters, digits, {@code -}, {@code _} and dots
 */
record LoginState(String encoded, Instant expiresAt, String returnTo) {
    /** Page after a login without a requested page. */
    static final String CONSOLE_PATH = "/console";

    static final Duration MAX_LIFETIME = Duration.ofMinutes(10);

    private static final Pattern STATE_PATTERN =
            Pattern.compile("[A-Za-z0-9_-]{43}\\.([0-9]{1,12})\\.([A-Za-z0-9_-]{0,1400})");
    /** Only pages of the console: no host, no backslash, no line break. */
    private static final Pattern CONSOLE_PAGE =
            Pattern.compile("/console(?:/[A-Za-z0-9._~%-]++)*+/?(?:\\?[A-Za-z0-9._~%!$&'()*+,;=:@/?-]*+)?");

    private static final Pattern NON_PAGE_PATHS = Pattern.compile("/console/(?:oidc|session|files)(?:[/?].*)?");
    private static final int MAX_PATH_LENGTH = 1_000;
    private static final int RANDOM_BYTES = 32;

    /** Returns the path if it is a page of the console, otherwise the console's first page. */
    static String consolePageOrDefault(String path) {
        return path.length() <= MAX_PATH_LENGTH
                        && CONSOLE_PAGE.matcher(path).matches()
                        && !path.contains("..")
                        && !NON_PAGE_PATHS.matcher(path).matches()
                ? path
                : CONSOLE_PATH;
    }

    static LoginState create(SecureRandom random, Instant now, String returnTo) {
        byte[] noise = new byte[RANDOM_BYTES];
        random.nextBytes(noise);
        Instant end = now.plus(MAX_LIFETIME);
        String path = consolePageOrDefault(returnTo);
        return new LoginState(
                base64(noise) + "." + end.getEpochSecond() + "." + base64(path.getBytes(StandardCharsets.US_ASCII)),
                end,
                path);
    }

    /** Parses the state that a browser returns. Empty when it is invalid or expired. */
    static Optional<LoginState> parse(String text, Instant now) {
        Matcher form = STATE_PATTERN.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        Instant end = Instant.ofEpochSecond(Long.parseLong(form.group(1)));
        if (!now.isBefore(end) || end.isAfter(now.plus(MAX_LIFETIME))) {
            return Optional.empty();
        }
        try {
            String path = new String(Base64.getUrlDecoder().decode(form.group(2)), StandardCharsets.US_ASCII);
            return Optional.of(new LoginState(text, end, consolePageOrDefault(path)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the {@code state} parameter, which the provider returns with its answer. */
    String state() {
        return derive("state");
    }

    /** Returns the nonce that the ID token must contain. */
    String nonce() {
        return derive("nonce");
    }

    /** Returns the code verifier (RFC 7636), which is sent with the code in addition to the client secret. */
    String verifier() {
        return derive("verifier");
    }

    /** Returns the code challenge, the hash of the verifier that the provider receives first. */
    String challenge() {
        return base64(sha256(verifier()));
    }

    private String derive(String what) {
        return base64(sha256(what + " " + encoded));
    }

    /** Returns whether two texts are equal. Compares in constant time. */
    static boolean constantTimeEquals(String expected, String given) {
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

    /** Omits the content, because its holder can act as the browser that started the login. */
    @Override
    public String toString() {
        return "a login that ends at " + expiresAt;
    }
}
