package org.sallyport.identity.token;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.OutageTolerantJWKSetSource;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.jwk.source.RateLimitedJWKSetSource;
import com.nimbusds.jose.jwk.source.RefreshAheadCachingJWKSetSource;
import com.nimbusds.jose.proc.SecurityContext;
import java.lang.System.Logger.Level;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Caches the keys of an issuer. Fetches them again before they expire and, at a limited rate, when a token names an
 * unknown key. Keeps them for some time when they cannot be fetched. Thread-safe.
 */
final class JwksCache implements JWKSource<SecurityContext> {
    /**
     * Limits the requests with unknown keys that wait at the same time. Requests with known keys neither count nor
     * wait.
     */
    private static final int MAX_CONCURRENT_REFRESHES = 8;

    private static final long REFRESH_TIMEOUT_MILLIS = 1_000;

    private final JWKSetSource<SecurityContext> source;
    private final InstantSource clock;
    private final Semaphore refreshPermits = new Semaphore(MAX_CONCURRENT_REFRESHES);

    /** @param background executor that prefetches keys */
    JwksCache(
            JWKSetSource<SecurityContext> published,
            JwtConfig.JwksCacheTimes times,
            InstantSource clock,
            ExecutorService background) {
        long fresh = times.refresh().toMillis();
        this.source = new RefreshAheadCachingJWKSetSource<>(
                new RateLimitedJWKSetSource<>(
                        new OutageTolerantJWKSetSource<>(
                                published, times.staleIfError().toMillis(), null),
                        times.minRefetch().toMillis(),
                        null),
                fresh,
                REFRESH_TIMEOUT_MILLIS,
                fresh / 4,
                false,
                background,
                false,
                null);
        this.clock = clock;
    }

    /** Fetches the keys before the first use. Logs a failure. */
    void prefetch() {
        try {
            source.getJWKSet(JWKSetCacheRefreshEvaluator.noRefresh(), clock.millis(), null);
        } catch (KeySourceException e) {
            System.getLogger(JwksCache.class.getName())
                    .log(Level.DEBUG, "the keys of the issuer could not be fetched; the first token fetches them", e);
        }
    }

    @Override
    public List<JWK> get(JWKSelector selector, @Nullable SecurityContext context) throws KeySourceException {
        JWKSet keys = source.getJWKSet(JWKSetCacheRefreshEvaluator.noRefresh(), clock.millis(), context);
        List<JWK> found = selector.select(keys);
        return found.isEmpty() ? selectAfterRefresh(keys, selector, context) : found;
    }

    private List<JWK> selectAfterRefresh(JWKSet than, JWKSelector selector, @Nullable SecurityContext context)
            throws KeySourceException {
        if (!refreshPermits.tryAcquire()) {
            // The key is undecided: after a rotation the token may be valid, so the client must retry.
            throw new JWKSetUnavailableException("too many requests already wait for the issuer's keys");
        }
        try {
            return selector.select(
                    source.getJWKSet(JWKSetCacheRefreshEvaluator.referenceComparison(than), clock.millis(), context));
        } catch (RateLimitReachedException e) {
            return List.of();
        } finally {
            refreshPermits.release();
        }
    }
}
