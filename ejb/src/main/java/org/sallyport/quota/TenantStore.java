package org.sallyport.quota;

import java.util.List;

/**
 * Which tenants there are. Nobody registers them: a tenant is there as long as anything of it is stored. Thread-safe; throws
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer.
 */
public interface TenantStore {

    /**
     * Those that have API keys, executions, schedules, capabilities, secrets, policies, quotas of their own, costs or entries in
     * the audit log, in the store's own order of names. Takes as long as there are tenants on the page and executions that have
     * not ended, however many have.
     *
     * @param after the last one of the page before; empty for the first page
     * @param most how many at most
     */
    List<TenantUsage> listTenants(String after, int most);
}
