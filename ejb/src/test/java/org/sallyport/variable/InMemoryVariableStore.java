package org.sallyport.variable;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Keeps variables in memory. */
public final class InMemoryVariableStore implements VariableStore {
    private final Map<String, Map<String, TenantVariable>> tenants = new TreeMap<>();

    private Map<String, TenantVariable> variablesOf(String tenant) {
        return tenants.computeIfAbsent(tenant, any -> new TreeMap<>());
    }

    @Override
    public synchronized List<TenantVariable> list(String tenant) {
        return List.copyOf(variablesOf(tenant).values());
    }

    @Override
    public synchronized List<TenantVariable> find(String tenant, Collection<String> names) {
        return list(tenant).stream()
                .filter(variable -> names.contains(variable.name()))
                .toList();
    }

    @Override
    public synchronized Optional<TenantVariable> set(
            String tenant, String name, TenantVariable.ValueSource source, Instant now, String by, int maxVariables) {
        Map<String, TenantVariable> variables = variablesOf(tenant);
        TenantVariable before = variables.get(name);
        if (before == null && variables.size() >= maxVariables) {
            return Optional.empty();
        } else if (before != null && before.source().equals(source)) {
            return Optional.of(before);
        }
        TenantVariable next =
                new TenantVariable(tenant, name, source, before == null ? 1 : before.version() + 1, now, by);
        variables.put(name, next);
        return Optional.of(next);
    }

    @Override
    public synchronized boolean remove(String tenant, String name) {
        return variablesOf(tenant).remove(name) != null;
    }
}
