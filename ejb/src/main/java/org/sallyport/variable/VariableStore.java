package org.sallyport.variable;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Stores the variables of tenants. Thread-safe. */
public interface VariableStore {

    /** Returns the variables of the tenant, ordered by name. */
    List<TenantVariable> list(String tenant);

    /** Returns those of the named variables that the tenant has, in any order. */
    List<TenantVariable> find(String tenant, Collection<String> names);

    /**
     * Sets a variable, whether or not it exists. Setting the present value changes nothing.
     *
     * @param maxVariables maximum number of variables of the tenant; concurrent additions may exceed it
     * @return the stored variable; empty when it is new and the tenant has the maximum number
     */
    Optional<TenantVariable> set(
            String tenant, String name, TenantVariable.ValueSource source, Instant now, String by, int maxVariables);

    /** Removes a variable. Returns false when there is none. */
    boolean remove(String tenant, String name);
}
