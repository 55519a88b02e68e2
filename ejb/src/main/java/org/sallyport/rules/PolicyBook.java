package org.sallyport.rules;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.Decision;
import org.sallyport.policy.PersonalKind;
import org.sallyport.policy.Policies;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.PolicyVersion;
import org.sallyport.policy.Situation;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/**
 * The policies in force, as this node knows them: a change is heard after a moment, and while the store is away the last
 * that was heard holds.
 */
public final class PolicyBook implements Policies {
    private static final Logger LOG = System.getLogger(PolicyBook.class.getName());
    private static final int KEPT = 10_000;

    /** Nothing is allowed, and everything that can be hidden is. */
    private static final Policy UNREADABLE = new Policy() {
        @Override
        public Decision decide(ToolSpec tool, Json arguments, Situation situation) {
            return new Decision.Deny("unreadable", "the policy in force cannot be read; see the service's log");
        }

        @Override
        public Set<PersonalKind> hidden() {
            return EnumSet.allOf(PersonalKind.class);
        }
    };

    private final PolicyStore store;
    private final LongSupplier nanos;
    private final long fresh;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final AtomicLong changes = new AtomicLong();

    private record Entry(long version, Policy policy, long readNanos) {}

    /**
     * @param nanos a clock that never goes back, in nanoseconds
     * @param fresh how long a policy is taken for the newest
     */
    public PolicyBook(PolicyStore store, LongSupplier nanos, Duration fresh) {
        this.store = store;
        this.nanos = nanos;
        this.fresh = fresh.toNanos();
    }

    /** Waits for the store when it was not read for a while; throws its exception when nothing is known of the tenant. */
    @Override
    public Policy of(String tenant) {
        long now = nanos.getAsLong();
        Entry known = entries.get(tenant);
        if (known != null && now - known.readNanos() < fresh) {
            return known.policy();
        }
        long change = changes.get();
        Entry read = read(tenant, known, now);
        if (entries.size() >= KEPT) {
            entries.clear();
        }
        entries.put(tenant, read);
        if (change != changes.get()) {
            entries.remove(tenant, read); // it may have been read before the change
        }
        return read.policy();
    }

    /** The policy that was heard of last, if any was; asks nobody. */
    public Optional<Policy> last(String tenant) {
        return Optional.ofNullable(entries.get(tenant)).map(Entry::policy);
    }

    /** The tenant's rules were changed here. */
    public void changed(String tenant) {
        changes.incrementAndGet();
        entries.remove(tenant);
    }

    private Entry read(String tenant, @Nullable Entry known, long now) {
        Optional<PolicyVersion> newest;
        try {
            newest = store.newest(tenant);
        } catch (StoreUnavailableException e) {
            if (known == null) {
                throw e;
            }
            return new Entry(known.version(), known.policy(), now);
        }
        long version = newest.map(PolicyVersion::version).orElse(0L);
        if (known != null && known.version() == version) {
            return new Entry(version, known.policy(), now);
        }
        return new Entry(version, newest.map(PolicyBook::policy).orElseGet(Policy::standard), now);
    }

    private static Policy policy(PolicyVersion version) {
        try {
            return RuleReader.read(version.document());
        } catch (InvalidRulesException e) {
            // It was read before it was stored: only another version of the service can have written it.
            LOG.log(Level.ERROR, "policy {0} cannot be read, so nothing is allowed: {1}", version, e.getMessage());
            return UNREADABLE;
        }
    }
}
