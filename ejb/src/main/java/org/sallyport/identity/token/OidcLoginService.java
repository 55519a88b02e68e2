package org.sallyport.identity.token;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.cache.RecentEntries;
import org.sallyport.configuration.Configuration;

/**
 * Logs people in at an identity provider (OpenID Connect Core 1.0, authorization code flow, with RFC 7636 and RFC
 * 9207). Creates the redirect to the provider and verifies the provider's answer. Keeps no token. Thread-safe.
 */
public final class OidcLoginService {
    private static final Logger LOG = System.getLogger(OidcLoginService.class.getName());
    /** Maximum number of concurrent code exchanges. Each takes some seconds at most and blocks a request thread. */
    private static final int MAX_CONCURRENT_EXCHANGES = 8;

    private static final int MAX_USED_STATES = 10_000;
    private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Pattern CODE_PATTERN = Pattern.compile("[ -~]{1,4096}");
    private static final Pattern ERROR_PATTERN = Pattern.compile("[a-z_]{1,40}");

    private final @Nullable ConfiguredProvider configuredProvider;
    private final InstantSource clock;
    private final SecureRandom random;
    private final Semaphore exchangePermits = new Semaphore(MAX_CONCURRENT_EXCHANGES);
    private final AtomicLong lastLogNanos = new AtomicLong(System.nanoTime() - LOG_INTERVAL_NANOS);
    private final RecentEntries<String, Instant> usedStates = new RecentEntries<>(MAX_USED_STATES);

    /** The parts that exist only with a configured provider. */
    private record ConfiguredProvider(
            OidcClientConfig config,
            ProviderMetadataCache metadataCache,
            AuthorizationCodeExchange codeExchange,
            JwtAuthenticator authenticator) {}

    private OidcLoginService(@Nullable ConfiguredProvider open, InstantSource clock, SecureRandom random) {
        this.configuredProvider = open;
        this.clock = clock;
        this.random = random;
    }

    /**
     * A started login.
     *
     * @param encodedState state that the browser keeps until it returns from the provider
     * @param authorizationUri URL to which the browser is redirected
     */
    public record LoginStarted(String encodedState, URI authorizationUri) {}

    /**
     * Parameters with which the browser returns from the provider, each at most once.
     *
     * @param issuer issuer that the response names (RFC 9207)
     */
    public record AuthorizationResponse(
            Optional<String> state, Optional<String> code, Optional<String> error, Optional<String> issuer) {}

    /**
     * A person who has logged in.
     *
     * @param name name of the person at the provider, unchanged; untrusted text
     * @param returnTo requested page, a path of the console
     */
    public record LoggedInUser(Caller caller, String name, String returnTo) {}

    /**
     * Validates the settings before the service starts. Throws
     * {@link org.sallyport.configuration.InvalidConfigurationException} when they are invalid.
     */
    public static void check(Configuration configuration) {
        OidcClientConfig.read(configuration);
    }

    /**
     * Creates a service from the settings. Throws {@link org.sallyport.configuration.InvalidConfigurationException}
     * when they are invalid.
     *
     * @param background executor that prefetches the provider's metadata
     */
    public static OidcLoginService open(
            Configuration configuration,
            JwtAuthenticator tokens,
            InstantSource clock,
            SecureRandom random,
            ExecutorService background) {
        Optional<OidcClientConfig> rules = OidcClientConfig.read(configuration);
        if (rules.isEmpty()) {
            return new OidcLoginService(null, clock, random);
        }
        IssuerHttpClient fetch = new IssuerHttpClient();
        ProviderMetadataCache lookup = new ProviderMetadataCache(
                rules.get().issuer(),
                fetch,
                JwtConfigReader.read(configuration).orElseThrow().jwksCacheTimes(),
                clock);
        background.execute(lookup::prefetch);
        return new OidcLoginService(
                new ConfiguredProvider(rules.get(), lookup, new AuthorizationCodeExchange(rules.get(), fetch), tokens),
                clock,
                random);
    }

    /** Returns whether a provider is configured. */
    public boolean isEnabled() {
        return configuredProvider != null;
    }

    /** Returns whether the configured provider is the one that authenticated the caller. */
    public boolean vouchesFor(Caller caller) {
        ConfiguredProvider there = configuredProvider;
        return there != null
                && caller.token()
                        .filter(token ->
                                token.subject().issuer().equals(there.config().issuer()))
                        .isPresent();
    }

    /** Returns whether browsers reach the service over TLS. */
    public boolean usesTls() {
        ConfiguredProvider there = configuredProvider;
        return there != null
                && "https".equalsIgnoreCase(there.config().publicUrl().getScheme());
    }

    /**
     * Returns the URL at which the browser ends its session at the provider. Empty when the provider has none, or its
     * metadata is not known yet.
     */
    public Optional<URI> logoutUri() {
        ConfiguredProvider there = configuredProvider;
        return there == null
                ? Optional.empty()
                : there.metadataCache()
                        .cached()
                        .flatMap(OidcProviderMetadata::endSessionEndpoint)
                        .map(end -> {
                            Map<String, String> query = new LinkedHashMap<>();
                            query.put("client_id", there.config().clientId());
                            query.put("post_logout_redirect_uri", there.config().publicUrl() + LoginState.CONSOLE_PATH);
                            return withQuery(end, query);
                        });
    }

    /**
     * Starts a login. Throws {@link LoginException} when the provider's metadata is not available.
     *
     * @param returnTo requested page; any path outside the console is replaced by the console's first page
     */
    public LoginStarted startLogin(String returnTo) throws LoginException {
        ConfiguredProvider there = requireProvider();
        try {
            OidcProviderMetadata provider = there.metadataCache().get();
            LoginState ticket = LoginState.create(random, clock.instant(), returnTo);
            Map<String, String> query = new LinkedHashMap<>();
            query.put("response_type", "code");
            query.put("client_id", there.config().clientId());
            query.put("redirect_uri", there.config().redirectUri());
            query.put("scope", there.config().scopes());
            query.put("state", ticket.state());
            query.put("nonce", ticket.nonce());
            query.put("code_challenge", ticket.challenge());
            query.put("code_challenge_method", "S256");
            return new LoginStarted(ticket.encoded(), withQuery(provider.authorizationEndpoint(), query));
        } catch (LoginException e) {
            throw logFailure(e);
        }
    }

    /**
     * Returns the person who has logged in. Throws {@link LoginException} when the login fails, and
     * {@link org.sallyport.execution.StoreUnavailableException} when the store cannot tell whether the person is
     * blocked.
     *
     * @param ticketText the state that the browser kept; empty when it kept none
     */
    public LoggedInUser finishLogin(String ticketText, AuthorizationResponse returned) throws LoginException {
        ConfiguredProvider there = requireProvider();
        Instant now = clock.instant();
        Optional<LoginState> kept = LoginState.parse(ticketText, now)
                .filter(ticket -> LoginState.constantTimeEquals(
                        ticket.state(), returned.state().orElse("")));
        // Not logged, because anyone can send such requests at any rate.
        if (kept.isEmpty() || !markUsed(kept.get(), now)) {
            throw new LoginException(LoginFailure.STATE, "the login is unknown, expired or already used");
        }
        try {
            return exchangeCode(there, kept.get(), returned);
        } catch (LoginException e) {
            throw logFailure(e);
        }
    }

    private LoggedInUser exchangeCode(ConfiguredProvider there, LoginState ticket, AuthorizationResponse returned)
            throws LoginException {
        if (!exchangePermits.tryAcquire()) {
            throw new LoginException(LoginFailure.BUSY, "too many logins are in progress");
        }
        try {
            OidcProviderMetadata provider = there.metadataCache().get();
            boolean named = returned.issuer().isPresent();
            if (named ? !returned.issuer().get().equals(there.config().issuer()) : provider.sendsIssuer()) {
                throw new LoginException(
                        LoginFailure.REFUSED,
                        "the answer does not come from " + there.config().issuer());
            } else if (returned.error().isPresent()) {
                throw new LoginException(
                        LoginFailure.DENIED,
                        "the provider answered with the error "
                                + returned.error()
                                        .filter(error ->
                                                ERROR_PATTERN.matcher(error).matches())
                                        .orElse("(invalid error code)"));
            }
            String code = returned.code()
                    .filter(text -> CODE_PATTERN.matcher(text).matches())
                    .orElseThrow(() -> new LoginException(LoginFailure.PROVIDER, "the answer has no code"));
            return toUser(there, there.codeExchange().exchangeForIdToken(provider, code, ticket), ticket);
        } finally {
            exchangePermits.release();
        }
    }

    private static LoggedInUser toUser(ConfiguredProvider there, String idToken, LoginState ticket)
            throws LoginException {
        TokenVerification verdict = there.authenticator().verifyIdToken(idToken, ticket.nonce());
        if (verdict instanceof TokenVerification.TokenRejected refused) {
            throw new LoginException(refused);
        } else if (verdict instanceof TokenVerification.TokenAccepted accepted) {
            if (accepted.caller().roles().isEmpty()) {
                throw new LoginException(LoginFailure.NO_ROLE, accepted.caller().id() + " has no role");
            }
            return new LoggedInUser(accepted.caller(), accepted.name(), ticket.returnTo());
        }
        throw new LoginException(
                LoginFailure.PROVIDER, "the keys of " + there.config().issuer() + " could not be fetched");
    }

    /**
     * Returns whether the state was not used before on this node. On other nodes, the provider rejects a code that was
     * used twice.
     */
    private boolean markUsed(LoginState ticket, Instant now) {
        usedStates.removeValuesIf(now::isAfter);
        return usedStates.putIfAbsent(ticket.state(), ticket.expiresAt()) == null;
    }

    /**
     * Rate-limited, so that failed logins cannot fill the disk. The reason of a rejected token is logged with all token
     * rejections.
     */
    private LoginException logFailure(LoginException failure) {
        long now = System.nanoTime();
        long last = lastLogNanos.get();
        if (failure.rejection().isEmpty()
                && now - last >= LOG_INTERVAL_NANOS
                && lastLogNanos.compareAndSet(last, now)) {
            LOG.log(Level.WARNING, "a login failed: {0}, {1}", failure.failure().code(), failure.getMessage());
        }
        return failure;
    }

    private ConfiguredProvider requireProvider() throws LoginException {
        ConfiguredProvider there = configuredProvider;
        if (there == null) {
            throw new LoginException(LoginFailure.PROVIDER, "no login provider is configured");
        }
        return there;
    }

    private static URI withQuery(URI address, Map<String, String> query) {
        return URI.create(
                address + (address.getRawQuery() == null ? "?" : "&") + AuthorizationCodeExchange.formEncode(query));
    }
}
