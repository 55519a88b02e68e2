package org.sallyport.token;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a provider says of itself, remembered for a while, and longer while it cannot be asked. One asks at a time, however many want
 * to know. Thread-safe.
 */
final class ProviderLookup {
    private static final Logger LOG = System.getLogger(ProviderLookup.class.getName());
    /** Who cannot be reached is not asked again for so long. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private static final int PLACES = 8;

    private final String issuer;
    private final KeyFetch fetch;
    private final TokenRules.KeyTimes times;
    private final InstantSource clock;
    private final ReentrantLock asking = new ReentrantLock();
    private final Semaphore places = new Semaphore(PLACES);
    private volatile Known known = new Known(null, Instant.MIN, Instant.MIN);

    /**
     * What is known.
     *
     * @param at when it was said
     * @param until before when nobody asks again
     */
    private record Known(@Nullable Provider provider, Instant at, Instant until) {}

    ProviderLookup(String issuer, KeyFetch fetch, TokenRules.KeyTimes times, InstantSource clock) {
        this.issuer = issuer;
        this.fetch = fetch;
        this.times = times;
        this.clock = clock;
    }

    /** What is known without asking. */
    Optional<Provider> known() {
        return Optional.ofNullable(known.provider());
    }

    /** Asks before anybody needs it; why that failed stands in the log. */
    void warm() {
        try {
            get();
        } catch (LoginException e) {
            LOG.log(Level.DEBUG, "no description yet", e);
        }
    }

    /** What it says; {@link LoginException} when nobody knows, or enough wait for that already. */
    Provider get() throws LoginException {
        if (!clock.instant().isBefore(known.until())) {
            ask();
        }
        @Nullable Provider provider = known.provider();
        if (provider == null) {
            throw new LoginException(LoginFailure.PROVIDER, issuer + " has not said where people log in");
        }
        return provider;
    }

    private void ask() throws LoginException {
        // While one asks, the others go by what is known, if anything is.
        long patience = known.provider() == null ? KeyFetch.LONGEST.toMillis() : 0;
        if (!places.tryAcquire()) {
            waited("enough wait for the description of " + issuer);
            return;
        }
        try {
            if (!asking.tryLock(patience, TimeUnit.MILLISECONDS)) {
                waited(issuer + " is slow");
                return;
            }
            try {
                Instant now = clock.instant();
                if (!now.isBefore(known.until())) {
                    known = asked(now);
                }
            } finally {
                asking.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LoginException(LoginFailure.BUSY, "interrupted");
        } finally {
            places.release();
        }
    }

    private void waited(String reason) throws LoginException {
        if (known.provider() == null) {
            throw new LoginException(LoginFailure.BUSY, reason);
        }
    }

    private Known asked(Instant now) {
        try {
            Provider provider = Provider.read(issuer, fetch.get(Provider.description(issuer)));
            return new Known(provider, now, now.plus(times.fresh()));
        } catch (IOException | IllegalArgumentException e) {
            LOG.log(Level.WARNING, "the description of issuer {0} cannot be had: {1}", issuer, e.getMessage());
            boolean old = known.provider() == null || now.isAfter(known.at().plus(times.kept()));
            // From the end of the attempt on: it may have taken long.
            return new Known(
                    old ? null : known.provider(), known.at(), clock.instant().plus(PAUSE));
        }
    }
}
