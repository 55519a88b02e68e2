package org.sallyport.quota;

import org.sallyport.execution.Cost;

/**
 * What a tenant does with the installation, in a line.
 *
 * @param queued executions that wait to begin
 * @param live executions that have not ended
 * @param keys API keys, expired ones too
 * @param ownQuotas whether anything was set for it that is not as for all
 * @param cost what its calls cost this month, by the store's clock in UTC
 * @param calls how many of them cost something
 */
public record TenantUse(String tenant, long queued, long live, long keys, boolean ownQuotas, Cost cost, long calls) {}
