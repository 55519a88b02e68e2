package org.sallyport.token;

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
import org.sallyport.access.Caller;
import org.sallyport.configuration.Configuration;

/**
 * People who log in at a provider (OpenID Connect Core 1.0, the authorization code flow, with RFC 7636 and RFC 9207): sends them
 * there, and says who they are when they are back. Keeps no token. Thread-safe.
 */
public final class Logins {
    private static final Logger LOG = System.getLogger(Logins.class.getName());
    /** As many are redeemed at a time, each for some seconds at most; request threads wait for it. */
    private static final int PLACES = 8;

    private static final int REMEMBERED = 10_000;
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Pattern CODE = Pattern.compile("[ -~]{1,4096}");
    private static final Pattern ERROR = Pattern.compile("[a-z_]{1,40}");

    private final @Nullable Open open;
    private final InstantSource clock;
    private final SecureRandom random;
    private final Semaphore places = new Semaphore(PLACES);
    private final AtomicLong told = new AtomicLong(System.nanoTime() - PAUSE_NANOS);
    private final Map<String, Instant> spent = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
            return size() > REMEMBERED;
        }
    };

    /** What there is when there is a provider. */
    private record Open(LoginRules rules, ProviderLookup lookup, Redemption redemption, Tokens tokens) {}

    private Logins(@Nullable Open open, InstantSource clock, SecureRandom random) {
        this.open = open;
        this.clock = clock;
        this.random = random;
    }

    /**
     * Somebody is to go to the provider.
     *
     * @param ticket what his browser keeps until he is back
     * @param address where it goes
     */
    public record Begun(String ticket, URI address) {}

    /**
     * What a browser brings from the provider, each at most once.
     *
     * @param issuer who says that he sent it (RFC 9207)
     */
    public record Returned(
            Optional<String> state, Optional<String> code, Optional<String> error, Optional<String> issuer) {}

    /**
     * Somebody who has logged in.
     *
     * @param name how he is called there, as it came: text of a stranger
     * @param returnTo the page that he came for, a path of the console
     */
    public record Person(Caller caller, String name, String returnTo) {}

    /** Says what cannot be before anything is begun; {@link org.sallyport.configuration.InvalidConfigurationException}. */
    public static void check(Configuration configuration) {
        LoginRules.read(configuration);
    }

    /**
     * As the settings say; {@link org.sallyport.configuration.InvalidConfigurationException} when they cannot be.
     *
     * @param background where the provider is asked about itself before anybody logs in
     */
    public static Logins open(
            Configuration configuration,
            Tokens tokens,
            InstantSource clock,
            SecureRandom random,
            ExecutorService background) {
        Optional<LoginRules> rules = LoginRules.read(configuration);
        if (rules.isEmpty()) {
            return new Logins(null, clock, random);
        }
        KeyFetch fetch = new KeyFetch();
        ProviderLookup lookup = new ProviderLookup(
                rules.get().issuer(),
                fetch,
                TokenRulesReader.read(configuration).orElseThrow().keyTimes(),
                clock);
        background.execute(lookup::warm);
        return new Logins(new Open(rules.get(), lookup, new Redemption(rules.get(), fetch), tokens), clock, random);
    }

    /** Whether there is a provider. */
    public boolean areOffered() {
        return open != null;
    }

    /** Whether the provider of now is the one that vouched for somebody. */
    public boolean brought(Caller caller) {
        Open there = open;
        return there != null
                && caller.token()
                        .filter(token ->
                                token.subject().issuer().equals(there.rules().issuer()))
                        .isPresent();
    }

    /** Whether browsers find the service by TLS. */
    public boolean areOverTls() {
        Open there = open;
        return there != null
                && "https".equalsIgnoreCase(there.rules().publicUrl().getScheme());
    }

    /** Where a browser goes so that the provider ends its own session too; empty when it has no such place, or has not said so yet. */
    public Optional<URI> goodbye() {
        Open there = open;
        return there == null
                ? Optional.empty()
                : there.lookup().known().flatMap(Provider::end).map(end -> {
                    Map<String, String> query = new LinkedHashMap<>();
                    query.put("client_id", there.rules().client());
                    query.put("post_logout_redirect_uri", there.rules().publicUrl() + Ticket.CONSOLE);
                    return with(end, query);
                });
    }

    /**
     * Begins a login; {@link LoginException} when the provider has not said where.
     *
     * @param returnTo the page that somebody wants to see; any but the console's own count as its first
     */
    public Begun begin(String returnTo) throws LoginException {
        Open there = there();
        try {
            Provider provider = there.lookup().get();
            Ticket ticket = Ticket.fresh(random, clock.instant(), returnTo);
            Map<String, String> query = new LinkedHashMap<>();
            query.put("response_type", "code");
            query.put("client_id", there.rules().client());
            query.put("redirect_uri", there.rules().redirect());
            query.put("scope", there.rules().scopes());
            query.put("state", ticket.state());
            query.put("nonce", ticket.nonce());
            query.put("code_challenge", ticket.challenge());
            query.put("code_challenge_method", "S256");
            return new Begun(ticket.text(), with(provider.authorization(), query));
        } catch (LoginException e) {
            throw tell(e);
        }
    }

    /**
     * Who has logged in; {@link LoginException} when nobody has. {@link org.sallyport.execution.StoreUnavailableException} when
     * nobody can say whether he is blocked.
     *
     * @param ticketText what the browser kept; empty when it kept nothing
     */
    public Person finish(String ticketText, Returned returned) throws LoginException {
        Open there = there();
        Instant now = clock.instant();
        Optional<Ticket> kept = Ticket.read(ticketText, now)
                .filter(ticket -> Ticket.same(ticket.state(), returned.state().orElse("")));
        // Not told to the log: anybody can ask so, as often as he likes.
        if (kept.isEmpty() || !spend(kept.get(), now)) {
            throw new LoginException(LoginFailure.STATE, "no such login");
        }
        try {
            return redeem(there, kept.get(), returned);
        } catch (LoginException e) {
            throw tell(e);
        }
    }

    private Person redeem(Open there, Ticket ticket, Returned returned) throws LoginException {
        if (!places.tryAcquire()) {
            throw new LoginException(LoginFailure.BUSY, "as many log in as may at a time");
        }
        try {
            Provider provider = there.lookup().get();
            boolean named = returned.issuer().isPresent();
            if (named ? !returned.issuer().get().equals(there.rules().issuer()) : provider.namesItself()) {
                throw new LoginException(
                        LoginFailure.REFUSED,
                        "the answer is not of " + there.rules().issuer());
            } else if (returned.error().isPresent()) {
                throw new LoginException(
                        LoginFailure.DENIED,
                        "the provider says "
                                + returned.error()
                                        .filter(error -> ERROR.matcher(error).matches())
                                        .orElse("that it failed"));
            }
            String code = returned.code()
                    .filter(text -> CODE.matcher(text).matches())
                    .orElseThrow(() -> new LoginException(LoginFailure.PROVIDER, "the answer has no code"));
            return person(there, there.redemption().idToken(provider, code, ticket), ticket);
        } finally {
            places.release();
        }
    }

    private static Person person(Open there, String idToken, Ticket ticket) throws LoginException {
        Verdict verdict = there.tokens().judgeIdToken(idToken, ticket.nonce());
        if (verdict instanceof Verdict.Refused refused) {
            throw new LoginException(refused);
        } else if (verdict instanceof Verdict.Accepted accepted) {
            if (accepted.caller().roles().isEmpty()) {
                throw new LoginException(LoginFailure.NO_ROLE, accepted.caller().keyId() + " has no role");
            }
            return new Person(accepted.caller(), accepted.name(), ticket.returnTo());
        }
        throw new LoginException(
                LoginFailure.PROVIDER, "the keys of " + there.rules().issuer() + " cannot be had");
    }

    /** Whether nobody came back with it before. Other nodes do not know; there the provider takes no code twice. */
    private boolean spend(Ticket ticket, Instant now) {
        synchronized (spent) {
            spent.values().removeIf(now::isAfter);
            return spent.putIfAbsent(ticket.state(), ticket.end()) == null;
        }
    }

    /** Now and then only: whoever fails often fills no disk. Of tokens it is told why where all tokens are. */
    private LoginException tell(LoginException failure) {
        long now = System.nanoTime();
        long last = told.get();
        if (failure.refused().isEmpty() && now - last >= PAUSE_NANOS && told.compareAndSet(last, now)) {
            LOG.log(
                    Level.WARNING,
                    "somebody could not log in: {0}, {1}",
                    failure.failure().code(),
                    failure.getMessage());
        }
        return failure;
    }

    private Open there() throws LoginException {
        Open there = open;
        if (there == null) {
            throw new LoginException(LoginFailure.PROVIDER, "there is no provider");
        }
        return there;
    }

    private static URI with(URI address, Map<String, String> query) {
        return URI.create(address + (address.getRawQuery() == null ? "?" : "&") + Redemption.form(query));
    }
}
