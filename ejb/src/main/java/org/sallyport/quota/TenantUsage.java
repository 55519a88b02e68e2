package org.sallyport.quota;

import org.sallyport.execution.Cost;

/**
 * Summary of a tenant's usage.
 *
 * @param queued number of executions that wait to start
 * @param live number of executions that have not ended
 * @param apiKeys number of API keys, including expired ones
 * @param hasOwnQuotas whether the tenant has quotas that differ from the defaults
 * @param cost cost of its calls this month, by the store's clock in UTC
 * @param costedCalls number of calls with a cost
 */
public record TenantUsage(
        String tenant, long queued, long live, long apiKeys, boolean hasOwnQuotas, Cost cost, long costedCalls) {}
