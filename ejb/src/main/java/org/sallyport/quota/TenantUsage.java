package org.sallyport.quota;

import org.sallyport.execution.Cost;

/**
 * What a tenant does with the installation, in a line.
 *
 * @param queued executions that wait to begin
 * @param live executions that have not ended
 * @param apiKeys API keys, expired ones too
 * @param hasOwnQuotas whether anything was set for it that is not as for all
 * @param cost what its calls cost this month, by the store's clock in UTC
 * @param costedCalls how many of them cost something
 */
public record TenantUsage(
        String tenant, long queued, long live, long apiKeys, boolean hasOwnQuotas, Cost cost, long costedCalls) {}
