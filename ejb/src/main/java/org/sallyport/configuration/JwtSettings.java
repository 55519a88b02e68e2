package org.sallyport.configuration;

import java.time.Duration;
import java.util.List;

/** Settings of bearer tokens: trusted issuers, and the mapping of claims to tenants and roles. */
public final class JwtSettings {
    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long DAY = 24 * 60 * MINUTE;

    public static final Setting<List<String>> ISSUERS = Setting.list(
            "sallyport.jwt.issuers",
            "",
            "Issuers of accepted tokens: URLs that `iss` must equal exactly, `https`, or `http` on a loopback"
                    + " address. Empty: no tokens are accepted.");
    public static final Setting<List<String>> JWKS_URIS = Setting.list(
            "sallyport.jwt.jwks-uris",
            "",
            "URLs of the issuers' keys, one for each issuer, in the same order. Empty: the URL that"
                    + " `/.well-known/openid-configuration` of the issuer names.");
    public static final Setting<List<String>> AUDIENCES = Setting.list(
            "sallyport.jwt.audiences",
            "",
            "Audiences of accepted tokens: `aud` must contain one of them. Required when there is an issuer.");
    public static final Setting<List<String>> ALGORITHMS = Setting.list(
            "sallyport.jwt.algorithms",
            "RS256,PS256,ES256",
            "Accepted signature algorithms: some of `RS256`, `RS384`, `RS512`, `PS256`, `PS384`, `PS512`, `ES256`,"
                    + " `ES384`, `ES512`.");
    public static final Setting<List<String>> TOKEN_TYPES = Setting.list(
            "sallyport.jwt.types",
            "at+jwt,JWT,absent",
            "Accepted values of `typ`: some of `at+jwt`, `JWT` and `absent` (no `typ`).");
    public static final Setting<String> TENANT_CLAIM = Setting.text(
            "sallyport.jwt.tenant-claim",
            "tenant",
            "Claim that names the tenant: a name, or a JSON pointer such as `/org/id`. Empty: each issuer has one"
                    + " tenant, and no claim is read.");
    public static final Setting<List<String>> TENANTS = Setting.list(
            "sallyport.jwt.tenants",
            "default",
            "Tenants that tokens may name. `acme=https://id.example` is for that issuer alone; with several issuers"
                    + " each tenant must name its issuer.");
    public static final Setting<String> ROLES_CLAIM = Setting.text(
            "sallyport.jwt.roles-claim",
            "roles",
            "Claim with the caller's groups or roles, an array of texts: a name, or a JSON pointer such as "
                    + "`/realm_access/roles`.");
    public static final Setting<List<String>> ROLES = Setting.list(
            "sallyport.jwt.roles",
            "",
            "Roles that these give here, as `engineers=submitter`: `submitter`, `approver`, `operator`, `admin` or"
                    + " `auditor`. Others give no role.");
    public static final Setting<List<String>> DEFAULT_ROLES = Setting.list(
            "sallyport.jwt.default-roles",
            "",
            "Roles of every caller whose token is accepted, whatever its claims. Empty: none.");
    public static final Setting<Duration> CLOCK_SKEW = Setting.millis(
            "sallyport.jwt.clock-skew-millis",
            0,
            5 * MINUTE,
            30 * SECOND,
            "By how much the clocks of issuers and of this node may differ.");
    public static final Setting<Duration> MAX_LIFETIME = Setting.millis(
            "sallyport.jwt.max-lifetime-millis",
            MINUTE,
            30 * DAY,
            DAY,
            "A token that expires later than this from now is refused.");
    public static final Setting<Long> MAX_LENGTH =
            Setting.number("sallyport.jwt.max-length", 256, 15_000, 8_192, "Characters that a token may have.");
    public static final Setting<Duration> JWKS_REFRESH = Setting.millis(
            "sallyport.jwt.jwks-refresh-millis",
            MINUTE,
            DAY,
            5 * MINUTE,
            "How long an issuer's keys are used before they are fetched again.");
    public static final Setting<Duration> JWKS_STALE_IF_ERROR = Setting.millis(
            "sallyport.jwt.jwks-stale-if-error-millis",
            MINUTE,
            7 * DAY,
            60 * MINUTE,
            "How long keys are used while their issuer cannot be reached.");
    public static final Setting<Duration> JWKS_MIN_REFETCH = Setting.millis(
            "sallyport.jwt.jwks-min-refetch-millis",
            SECOND,
            10 * MINUTE,
            30 * SECOND,
            "Period in which the keys of an issuer are fetched at most twice, however many tokens name unknown keys.");

    static final List<Setting<?>> ALL = List.of(
            ISSUERS,
            JWKS_URIS,
            AUDIENCES,
            ALGORITHMS,
            TOKEN_TYPES,
            TENANT_CLAIM,
            TENANTS,
            ROLES_CLAIM,
            ROLES,
            DEFAULT_ROLES,
            CLOCK_SKEW,
            MAX_LIFETIME,
            MAX_LENGTH,
            JWKS_REFRESH,
            JWKS_STALE_IF_ERROR,
            JWKS_MIN_REFETCH);

    private JwtSettings() {}
}
