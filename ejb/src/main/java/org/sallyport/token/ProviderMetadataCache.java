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
final class ProviderMetadataCache {
    private static final Logger LOG = System.getLogger(ProviderMetadataCache.class.getName());
    /** Who cannot be reached is not asked again for so long. */
    private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

    private static final int MAX_WAITERS = 8;

    private final String issuer;
    private final IssuerHttpClient httpClient;
    private final JwtConfig.JwksCacheTimes cacheTimes;
    private final InstantSource clock;
    private final ReentrantLock fetchLock = new ReentrantLock();
    private final Semaphore waiterPermits = new Semaphore(MAX_WAITERS);
    private volatile CachedProviderMetadata cached = new CachedProviderMetadata(null, Instant.MIN, Instant.MIN);

    /**
     * What is known.
     *
     * @param fetchedAt when it was said
     * @param refreshAt before when nobody asks again
     */
    private record CachedProviderMetadata(
            @Nullable OidcProviderMetadata provider, Instant fetchedAt, Instant refreshAt) {}

    ProviderMetadataCache(String issuer, IssuerHttpClient fetch, JwtConfig.JwksCacheTimes times, InstantSource clock) {
        this.issuer = issuer;
        this.httpClient = fetch;
        this.cacheTimes = times;
        this.clock = clock;
    }

    /** What is known without asking. */
    Optional<OidcProviderMetadata> cached() {
        return Optional.ofNullable(cached.provider());
    }

    /** Asks before anybody needs it; why that failed stands in the log. */
    void prefetch() {
        try {
            get();
        } catch (LoginException e) {
            LOG.log(Level.DEBUG, "no description yet", e);
        }
    }

    /** What it says; {@link LoginException} when nobody knows, or enough wait for that already. */
    OidcProviderMetadata get() throws LoginException {
        if (!clock.instant().isBefore(cached.refreshAt())) {
            refresh();
        }
        @Nullable OidcProviderMetadata provider = cached.provider();
        if (provider == null) {
            throw new LoginException(LoginFailure.PROVIDER, issuer + " has not said where people log in");
        }
        return provider;
    }

    private void refresh() throws LoginException {
        // While one asks, the others go by what is known, if anything is.
        long patience = cached.provider() == null ? IssuerHttpClient.TIMEOUT.toMillis() : 0;
        if (!waiterPermits.tryAcquire()) {
            requireCached("enough wait for the description of " + issuer);
            return;
        }
        try {
            if (!fetchLock.tryLock(patience, TimeUnit.MILLISECONDS)) {
                requireCached(issuer + " is slow");
                return;
            }
            try {
                Instant now = clock.instant();
                if (!now.isBefore(cached.refreshAt())) {
                    cached = fetchMetadata(now);
                }
            } finally {
                fetchLock.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LoginException(LoginFailure.BUSY, "interrupted");
        } finally {
            waiterPermits.release();
        }
    }

    private void requireCached(String reason) throws LoginException {
        if (cached.provider() == null) {
            throw new LoginException(LoginFailure.BUSY, reason);
        }
    }

    private CachedProviderMetadata fetchMetadata(Instant now) {
        try {
            OidcProviderMetadata provider =
                    OidcProviderMetadata.parse(issuer, httpClient.get(OidcProviderMetadata.metadataUri(issuer)));
            return new CachedProviderMetadata(provider, now, now.plus(cacheTimes.refresh()));
        } catch (IOException | IllegalArgumentException e) {
            LOG.log(Level.WARNING, "the description of issuer {0} cannot be had: {1}", issuer, e.getMessage());
            boolean old =
                    cached.provider() == null || now.isAfter(cached.fetchedAt().plus(cacheTimes.staleIfError()));
            // From the end of the attempt on: it may have taken long.
            return new CachedProviderMetadata(
                    old ? null : cached.provider(),
                    cached.fetchedAt(),
                    clock.instant().plus(RETRY_DELAY));
        }
    }
}
