package org.sallyport.policyengine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.cache.BoundedCaches;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.PersonalDataType;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.PolicyVersion;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/**
 * Caches the policies in force on this node. A change applies after a short time. While the store is unavailable, the
 * last known policy applies.
 */
public final class PolicyCache implements PolicyProvider {
    private static final Logger LOG = System.getLogger(PolicyCache.class.getName());
    private static final int MAX_ENTRIES = 10_000;
    private static final long MAX_BYTES = 32L << 20;

    /** Denies every call and redacts every type of personal data. */
    private static final Policy UNREADABLE = new Policy() {
        @Override
        public PolicyDecision decide(ToolSpec tool, Json arguments, PolicyContext situation) {
            return new PolicyDecision.DenyDecision(
                    "unreadable", "the policy in force cannot be read; see the service's log");
        }

        @Override
        public Set<PersonalDataType> hiddenDataTypes() {
            return EnumSet.allOf(PersonalDataType.class);
        }
    };

    private final PolicyStore store;
    private final LongSupplier nanos;
    private final long maxAgeNanos;
    private final Map<String, CachedPolicy> entries = BoundedCaches.ofBytes(
            MAX_ENTRIES, MAX_BYTES, (tenant, cached) -> BoundedCaches.parsedJsonBytes(cached.documentChars()));
    private final AtomicLong changeCount = new AtomicLong();

    /** @param documentChars length of the document from which the policy was parsed */
    private record CachedPolicy(long version, Policy policy, int documentChars, long readNanos) {
        CachedPolicy readAt(long nanos) {
            return new CachedPolicy(version, policy, documentChars, nanos);
        }
    }

    /**
     * @param nanos a monotonic clock, in nanoseconds
     * @param fresh how long a cached policy is used without a new read
     */
    public PolicyCache(PolicyStore store, LongSupplier nanos, Duration fresh) {
        this.store = store;
        this.nanos = nanos;
        this.maxAgeNanos = fresh.toNanos();
    }

    /**
     * Blocks on the store when the cached policy is stale. Throws the store's exception when no policy of the tenant is
     * cached.
     */
    @Override
    public Policy policyFor(String tenant) {
        long now = nanos.getAsLong();
        CachedPolicy known = entries.get(tenant);
        if (known != null && now - known.readNanos() < maxAgeNanos) {
            return known.policy();
        }
        long change = changeCount.get();
        CachedPolicy read = read(tenant, known, now);
        entries.put(tenant, read);
        if (change != changeCount.get()) {
            entries.remove(tenant, read); // it may have been read before the change
        }
        return read.policy();
    }

    /** Returns the last known policy, if any, without store access. */
    public Optional<Policy> findCached(String tenant) {
        return Optional.ofNullable(entries.get(tenant)).map(CachedPolicy::policy);
    }

    /** Discards the cached policy of the tenant after a change on this node. */
    public void invalidate(String tenant) {
        changeCount.incrementAndGet();
        entries.remove(tenant);
    }

    private CachedPolicy read(String tenant, @Nullable CachedPolicy known, long now) {
        Optional<PolicyVersion> newest;
        try {
            newest = store.findNewest(tenant);
        } catch (StoreUnavailableException e) {
            if (known == null) {
                throw e;
            }
            return known.readAt(now);
        }
        long version = newest.map(PolicyVersion::version).orElse(0L);
        if (known != null && known.version() == version) {
            return known.readAt(now);
        }
        return new CachedPolicy(
                version,
                newest.map(PolicyCache::parse).orElseGet(Policy::defaultPolicy),
                newest.map(policy -> policy.document().text().length()).orElse(0),
                now);
    }

    private static Policy parse(PolicyVersion version) {
        try {
            return PolicyParser.parse(version.document());
        } catch (InvalidPolicyException e) {
            // A policy is parsed before it is stored. Only another version of the service can have written this one.
            LOG.log(Level.ERROR, "policy {0} cannot be parsed, so every call is denied: {1}", version, e.getMessage());
            return UNREADABLE;
        }
    }
}
