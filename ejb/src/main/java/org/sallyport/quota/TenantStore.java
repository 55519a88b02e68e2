package org.sallyport.quota;

import java.util.List;

/**
 * Lists tenants. Tenants are not registered: a tenant exists as long as the store holds any of its data. Thread-safe;
 * throws {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer.
 */
public interface TenantStore {

    /**
     * Lists the tenants that have API keys, executions, schedules, capabilities, secrets, policies, quotas of their
     * own, costs or audit entries, in the store's order of names. The time depends on the tenants on the page and the
     * executions that have not ended, not on the number of finished executions.
     *
     * @param after last tenant of the previous page; empty for the first page
     * @param maxTenants maximum number of tenants
     */
    List<TenantUsage> listTenants(String after, int maxTenants);
}
