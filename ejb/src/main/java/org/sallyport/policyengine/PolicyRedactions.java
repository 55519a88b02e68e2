package org.sallyport.policyengine;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.sallyport.cache.BoundedCaches;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.PersonalDataType;
import org.sallyport.policy.Policy;
import org.sallyport.redaction.PersonalDataDetector;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.redaction.Redactor;

/**
 * Redacts a tenant's secrets and the personal data that its policy names. Redacts all types of personal data while the
 * policy is not known.
 */
public final class PolicyRedactions implements RedactionProvider {
    private static final int MAX_ENTRIES = 10_000;
    private static final Set<PersonalDataType> ALL_TYPES = Set.copyOf(EnumSet.allOf(PersonalDataType.class));

    private final Function<String, Redactor> secrets;
    private final PolicyCache policies;
    private final Map<String, CachedRedactor> entries = BoundedCaches.ofEntries(MAX_ENTRIES);

    private record CachedRedactor(Redactor secrets, Set<PersonalDataType> types, Redactor combined) {}

    /** @param secrets redactor of a tenant's secrets; the same instance as long as the secrets are unchanged */
    public PolicyRedactions(Function<String, Redactor> secrets, PolicyCache policies) {
        this.secrets = secrets;
        this.policies = policies;
    }

    @Override
    public Redactor redactorFor(String tenant) {
        try {
            return combinedRedactor(tenant, policies.policyFor(tenant).hiddenDataTypes());
        } catch (StoreUnavailableException e) {
            return combinedRedactor(tenant, ALL_TYPES);
        }
    }

    @Override
    public Redactor cachedRedactorFor(String tenant) {
        CachedRedactor before = entries.get(tenant);
        Set<PersonalDataType> unheard = before == null ? ALL_TYPES : before.types();
        return combinedRedactor(
                tenant, policies.findCached(tenant).map(Policy::hiddenDataTypes).orElse(unheard));
    }

    @Override
    public Redactor secretsRedactorFor(String tenant) {
        return secrets.apply(tenant);
    }

    private Redactor combinedRedactor(String tenant, Set<PersonalDataType> kinds) {
        Redactor own = secrets.apply(tenant);
        CachedRedactor known = entries.get(tenant);
        if (known != null && known.secrets() == own && known.types().equals(kinds)) {
            return known.combined();
        }
        CachedRedactor fresh = new CachedRedactor(
                own, kinds, kinds.isEmpty() ? own : own.withPersonalData(new PersonalDataDetector(kinds)));
        entries.put(tenant, fresh);
        return fresh.combined();
    }
}
