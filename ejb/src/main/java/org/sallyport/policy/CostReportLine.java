package org.sallyport.policy;

import org.sallyport.execution.Cost;

/**
 * A line of a cost report.
 *
 * @param name the tool, key, tenant or day
 * @param cost cost of its calls
 * @param calls number of its calls
 */
public record CostReportLine(String name, Cost cost, long calls) {
    /** Criterion by which a report groups costs. */
    public enum CostGrouping {
        TOOL,
        KEY,
        TENANT,
        DAY
    }
}
