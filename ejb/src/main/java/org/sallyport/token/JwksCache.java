package org.sallyport.token;

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
 * The keys of an issuer as they are known: fetched again in good time, when a token names one that is not there (so many times a
 * minute, whoever sends such tokens), and kept for a while when they cannot be fetched. Thread-safe.
 */
final class JwksCache implements JWKSource<SecurityContext> {
    /** Of those whose tokens name unknown keys; the others need no place, and wait for nobody. */
    private static final int MAX_CONCURRENT_REFRESHES = 8;

    private static final long REFRESH_TIMEOUT_MILLIS = 1_000;

    private final JWKSetSource<SecurityContext> source;
    private final InstantSource clock;
    private final Semaphore refreshPermits = new Semaphore(MAX_CONCURRENT_REFRESHES);

    /** @param background where keys are fetched before they are needed */
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

    /** Fetches the keys before anybody needs them; why that failed stands in the log. */
    void prefetch() {
        try {
            source.getJWKSet(JWKSetCacheRefreshEvaluator.noRefresh(), clock.millis(), null);
        } catch (KeySourceException e) {
            System.getLogger(JwksCache.class.getName()).log(Level.DEBUG, "no keys yet", e);
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
            // Nobody knows yet: after a rotation there may be good ones among them, who are to ask again.
            throw new JWKSetUnavailableException("enough wait for the issuer's keys already");
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
