package org.sallyport.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Makes and checks API keys. A key is {@code sp_<id>_<secret>}: the id finds the stored hash, the secret is 256 random bits
 * that only its owner knows. Thread-safe.
 */
public final class ApiKeyService {
    private static final int ID_BYTES = 9;
    private static final int SECRET_BYTES = 32;
    private static final Pattern API_KEY_PATTERN = Pattern.compile("sp_([A-Za-z0-9-]{12})_([A-Za-z0-9_-]{43})");

    private final ApiKeyStore store;
    private final InstantSource clock;
    private final SecureRandom random;

    public ApiKeyService(ApiKeyStore store, InstantSource clock, SecureRandom random) {
        this.store = store;
        this.clock = clock;
        this.random = random;
    }

    /**
     * A key that was just made.
     *
     * @param key what is stored
     * @param secret the whole key, to be shown once
     */
    public record IssuedApiKey(ApiKey key, String secret) {}

    /** Makes and stores a key that grants every tool. */
    public IssuedApiKey issue(String tenant, String name, Set<Role> roles, Optional<Instant> expiresAt) {
        return issue(tenant, name, roles, Caller.EVERY_TOOL, expiresAt);
    }

    /** Makes and stores a key. */
    public IssuedApiKey issue(
            String tenant, String name, Set<Role> roles, List<String> grants, Optional<Instant> expiresAt) {
        String id = randomText(ID_BYTES).replace('_', '-');
        String secret = "sp_" + id + "_" + randomText(SECRET_BYTES);
        ApiKey key = new ApiKey(id, tenant, name, sha256Hex(secret), roles, grants, expiresAt);
        store.put(key);
        return new IssuedApiKey(key, secret);
    }

    /** The tenant's keys, by id. */
    public List<ApiKey> list(String tenant) {
        return store.list(tenant);
    }

    /**
     * Has a key grant these tools, and no others, from now on: what is submitted with it, and what executions in its name call
     * next, within moments on every node. The key as it is then; empty when the tenant has none of this id.
     */
    public Optional<ApiKey> replaceGrants(String tenant, String id, List<String> grants) {
        return store.replaceGrants(tenant, id, grants) ? store.find(id) : Optional.empty();
    }

    /** Has a key work no more, within moments on every node; whether the tenant had it. */
    public boolean revoke(String tenant, String id) {
        return store.remove(tenant, id);
    }

    /** Whether a key that ends at {@code end} works no more. */
    public boolean isExpired(Instant end) {
        return !clock.instant().isBefore(end);
    }

    /** Who the bearer of {@code secret} is; empty when the key is malformed, unknown, wrong or expired. */
    public Optional<Caller> authenticate(String secret) {
        var form = API_KEY_PATTERN.matcher(secret);
        if (!form.matches()) {
            return Optional.empty();
        }
        return store.find(form.group(1))
                .filter(key -> constantTimeEquals(key.hash(), sha256Hex(secret)))
                .filter(this::isUnexpired)
                .map(ApiKey::toCaller);
    }

    /** Who the bearer of the key with that id is now, for what is done in his name; empty when the key does not work. */
    public Optional<Caller> findCaller(String id) {
        return findValid(id).map(ApiKey::toCaller);
    }

    /** Whether {@code secret} is that of a key that is stored, over or not: who has it guesses nothing. */
    public boolean isStoredKey(String secret) {
        var form = API_KEY_PATTERN.matcher(secret);
        return form.matches()
                && store.find(form.group(1))
                        .filter(key -> constantTimeEquals(key.hash(), sha256Hex(secret)))
                        .isPresent();
    }

    /** The id that a secret would have; empty when it has not the form of one. */
    public static Optional<String> parseId(String secret) {
        var form = API_KEY_PATTERN.matcher(secret);
        return form.matches() ? Optional.of(form.group(1)) : Optional.empty();
    }

    /** Whether the key with that id works. */
    public boolean isValid(String id) {
        return findValid(id).isPresent();
    }

    /** The key with that id, if it works. */
    Optional<ApiKey> findValid(String id) {
        return store.find(id).filter(this::isUnexpired);
    }

    private boolean isUnexpired(ApiKey key) {
        return key.expiresAt().map(clock.instant()::isBefore).orElse(true);
    }

    private static boolean constantTimeEquals(String expected, String actual) {
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.US_ASCII), actual.getBytes(StandardCharsets.US_ASCII));
    }

    /** SHA-256, hexadecimal. A fast hash will do: the secret has 256 random bits. */
    static String sha256Hex(String secret) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private String randomText(int bytes) {
        byte[] noise = new byte[bytes];
        random.nextBytes(noise);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(noise);
    }
}
