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
final class KeyRing implements JWKSource<SecurityContext> {
    /** Of those whose tokens name unknown keys; the others need no place, and wait for nobody. */
    private static final int PLACES = 8;

    private static final long PATIENCE_MILLIS = 1_000;

    private final JWKSetSource<SecurityContext> known;
    private final InstantSource clock;
    private final Semaphore places = new Semaphore(PLACES);

    /** @param background where keys are fetched before they are needed */
    KeyRing(
            JWKSetSource<SecurityContext> published,
            TokenRules.KeyTimes times,
            InstantSource clock,
            ExecutorService background) {
        long fresh = times.fresh().toMillis();
        this.known = new RefreshAheadCachingJWKSetSource<>(
                new RateLimitedJWKSetSource<>(
                        new OutageTolerantJWKSetSource<>(published, times.kept().toMillis(), null),
                        times.pause().toMillis(),
                        null),
                fresh,
                PATIENCE_MILLIS,
                fresh / 4,
                false,
                background,
                false,
                null);
        this.clock = clock;
    }

    /** Fetches the keys before anybody needs them; why that failed stands in the log. */
    void warm() {
        try {
            known.getJWKSet(JWKSetCacheRefreshEvaluator.noRefresh(), clock.millis(), null);
        } catch (KeySourceException e) {
            System.getLogger(KeyRing.class.getName()).log(Level.DEBUG, "no keys yet", e);
        }
    }

    @Override
    public List<JWK> get(JWKSelector selector, @Nullable SecurityContext context) throws KeySourceException {
        JWKSet keys = known.getJWKSet(JWKSetCacheRefreshEvaluator.noRefresh(), clock.millis(), context);
        List<JWK> found = selector.select(keys);
        return found.isEmpty() ? newer(keys, selector, context) : found;
    }

    private List<JWK> newer(JWKSet than, JWKSelector selector, @Nullable SecurityContext context)
            throws KeySourceException {
        if (!places.tryAcquire()) {
            // Nobody knows yet: after a rotation there may be good ones among them, who are to ask again.
            throw new JWKSetUnavailableException("enough wait for the issuer's keys already");
        }
        try {
            return selector.select(
                    known.getJWKSet(JWKSetCacheRefreshEvaluator.referenceComparison(than), clock.millis(), context));
        } catch (RateLimitReachedException e) {
            return List.of();
        } finally {
            places.release();
        }
    }
}
