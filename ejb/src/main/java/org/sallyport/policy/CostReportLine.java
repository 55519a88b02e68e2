package org.sallyport.policy;

import org.sallyport.execution.Cost;

/**
 * A line of a report.
 *
 * @param name the tool, the key, the tenant or the day
 * @param cost what its calls cost
 * @param calls how many these were
 */
public record CostReportLine(String name, Cost cost, long calls) {
    /** What lines are about. */
    public enum CostGrouping {
        TOOL,
        KEY,
        TENANT,
        DAY
    }
}
