package org.sallyport.identity.token;

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
 * Caches the metadata of a provider, and keeps it longer while the provider is unavailable. At most one thread fetches
 * at a time. Thread-safe.
 */
final class ProviderMetadataCache {
    private static final Logger LOG = System.getLogger(ProviderMetadataCache.class.getName());
    /** Delay before an unreachable provider is asked again. */
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
     * Cached metadata.
     *
     * @param fetchedAt when it was fetched
     * @param refreshAt earliest time of the next fetch
     */
    private record CachedProviderMetadata(
            @Nullable OidcProviderMetadata provider, Instant fetchedAt, Instant refreshAt) {}

    ProviderMetadataCache(String issuer, IssuerHttpClient fetch, JwtConfig.JwksCacheTimes times, InstantSource clock) {
        this.issuer = issuer;
        this.httpClient = fetch;
        this.cacheTimes = times;
        this.clock = clock;
    }

    /** Returns the cached metadata without a fetch. */
    Optional<OidcProviderMetadata> cached() {
        return Optional.ofNullable(cached.provider());
    }

    /** Fetches the metadata before the first use. Logs a failure. */
    void prefetch() {
        try {
            get();
        } catch (LoginException e) {
            LOG.log(Level.DEBUG, "the provider's metadata could not be fetched; the first login fetches it", e);
        }
    }

    /**
     * Returns the metadata. Throws {@link LoginException} when it is not available, or too many threads wait for it.
     */
    OidcProviderMetadata get() throws LoginException {
        if (!clock.instant().isBefore(cached.refreshAt())) {
            refresh();
        }
        @Nullable OidcProviderMetadata provider = cached.provider();
        if (provider == null) {
            throw new LoginException(LoginFailure.PROVIDER, "the metadata of " + issuer + " is not available");
        }
        return provider;
    }

    private void refresh() throws LoginException {
        // While one thread fetches, the others use cached metadata if there is any.
        long maxWaitMillis = cached.provider() == null ? IssuerHttpClient.TIMEOUT.toMillis() : 0;
        if (!waiterPermits.tryAcquire()) {
            requireCached("too many logins already wait for the metadata of " + issuer);
            return;
        }
        try {
            if (!fetchLock.tryLock(maxWaitMillis, TimeUnit.MILLISECONDS)) {
                requireCached(issuer + " did not answer in time");
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
            LOG.log(Level.WARNING, "the metadata of issuer {0} could not be fetched: {1}", issuer, e.getMessage());
            boolean old =
                    cached.provider() == null || now.isAfter(cached.fetchedAt().plus(cacheTimes.staleIfError()));
            // Counted from the end of the attempt, which may have taken long.
            return new CachedProviderMetadata(
                    old ? null : cached.provider(),
                    cached.fetchedAt(),
                    clock.instant().plus(RETRY_DELAY));
        }
    }
}
