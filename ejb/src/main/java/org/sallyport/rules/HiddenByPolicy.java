package org.sallyport.rules;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.PersonalKind;
import org.sallyport.policy.Policy;
import org.sallyport.secret.Hidden;
import org.sallyport.secret.PersonalData;
import org.sallyport.secret.Redaction;

/** A tenant's secrets, and the personal data that its policy names. Before the policy is known all such data are hidden. */
public final class HiddenByPolicy implements Hidden {
    private static final int KEPT = 10_000;
    private static final Set<PersonalKind> ALL = Set.copyOf(EnumSet.allOf(PersonalKind.class));

    private final Function<String, Redaction> secrets;
    private final PolicyBook policies;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    private record Entry(Redaction secrets, Set<PersonalKind> kinds, Redaction both) {}

    /** @param secrets the secrets of a tenant, the same instance as long as they are the same */
    public HiddenByPolicy(Function<String, Redaction> secrets, PolicyBook policies) {
        this.secrets = secrets;
        this.policies = policies;
    }

    @Override
    public Redaction of(String tenant) {
        try {
            return with(tenant, policies.of(tenant).hidden());
        } catch (StoreUnavailableException e) {
            return with(tenant, ALL);
        }
    }

    @Override
    public Redaction known(String tenant) {
        Entry before = entries.get(tenant);
        Set<PersonalKind> unheard = before == null ? ALL : before.kinds();
        return with(tenant, policies.last(tenant).map(Policy::hidden).orElse(unheard));
    }

    @Override
    public Redaction secrets(String tenant) {
        return secrets.apply(tenant);
    }

    private Redaction with(String tenant, Set<PersonalKind> kinds) {
        Redaction own = secrets.apply(tenant);
        Entry known = entries.get(tenant);
        if (known != null && known.secrets() == own && known.kinds().equals(kinds)) {
            return known.both();
        }
        if (entries.size() >= KEPT) {
            entries.clear();
        }
        Entry fresh = new Entry(own, kinds, kinds.isEmpty() ? own : own.and(new PersonalData(kinds)));
        entries.put(tenant, fresh);
        return fresh.both();
    }
}
