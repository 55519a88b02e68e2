package org.sallyport.auth;

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
 * Issues and verifies API keys. A key is {@code sp_<id>_<secret>}: the id finds the stored hash; the secret is 256
 * random bits that only the owner knows. Thread-safe.
 */
public final class ApiKeyService {
    /** Keys that administrators of one tenant may create, with those that have expired. */
    public static final int MAX_KEYS_PER_TENANT = 1_000;

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
     * A key that was just issued.
     *
     * @param key the stored key
     * @param secret the whole key, to be shown once
     */
    public record IssuedApiKey(ApiKey key, String secret) {}

    /** Creates and stores a key that grants every tool. */
    public IssuedApiKey issue(String tenant, String name, Set<Role> roles, Optional<Instant> expiresAt) {
        return issue(tenant, name, roles, Caller.EVERY_TOOL, expiresAt);
    }

    /** Creates and stores a key. */
    public IssuedApiKey issue(
            String tenant, String name, Set<Role> roles, List<String> grants, Optional<Instant> expiresAt) {
        String id = randomText(ID_BYTES).replace('_', '-');
        String secret = "sp_" + id + "_" + randomText(SECRET_BYTES);
        ApiKey key = new ApiKey(id, tenant, name, sha256Hex(secret), roles, grants, expiresAt);
        store.put(key);
        return new IssuedApiKey(key, secret);
    }

    /** Returns whether the tenant has as many keys as administrators may create. */
    public boolean hasMaxKeys(String tenant) {
        return store.list(tenant).size() >= MAX_KEYS_PER_TENANT;
    }

    /** Returns the tenant's keys, ordered by id. */
    public List<ApiKey> list(String tenant) {
        return store.list(tenant);
    }

    /**
     * Replaces the grants of a key. The change applies within moments on every node, to submissions with the key and to
     * the next calls of executions that run on its behalf. Returns the changed key; empty when the tenant has no key
     * with this id.
     */
    public Optional<ApiKey> replaceGrants(String tenant, String id, List<String> grants) {
        return store.replaceGrants(tenant, id, grants) ? store.find(id) : Optional.empty();
    }

    /** Revokes a key within moments on every node. Returns whether the tenant had it. */
    public boolean revoke(String tenant, String id) {
        return store.remove(tenant, id);
    }

    /** Returns whether a key that expires at {@code end} has expired. */
    public boolean isExpired(Instant end) {
        return !clock.instant().isBefore(end);
    }

    /** Returns the bearer of {@code secret}. Empty when the key is malformed, unknown, wrong or expired. */
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

    /**
     * Returns the current caller of the key with that id, for actions on the caller's behalf. Empty when the key does
     * not work.
     */
    public Optional<Caller> findCaller(String id) {
        return findValid(id).map(ApiKey::toCaller);
    }

    /**
     * Returns whether {@code secret} belongs to a stored key, expired or not. A caller who presents such a secret is
     * not guessing.
     */
    public boolean isStoredKey(String secret) {
        var form = API_KEY_PATTERN.matcher(secret);
        return form.matches()
                && store.find(form.group(1))
                        .filter(key -> constantTimeEquals(key.hash(), sha256Hex(secret)))
                        .isPresent();
    }

    /** Returns the key id in a secret. Empty when the text does not have the form of a secret. */
    public static Optional<String> parseId(String secret) {
        var form = API_KEY_PATTERN.matcher(secret);
        return form.matches() ? Optional.of(form.group(1)) : Optional.empty();
    }

    /** Returns whether the key with that id exists and has not expired. */
    public boolean isValid(String id) {
        return findValid(id).isPresent();
    }

    /** Returns the key with that id, if it exists and has not expired. */
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

    /** SHA-256, hexadecimal. A fast hash is sufficient because the secret has 256 random bits. */
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
