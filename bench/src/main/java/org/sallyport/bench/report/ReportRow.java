package org.sallyport.bench.report;

import java.util.List;
import java.util.OptionalDouble;

/**
 * One row of the report: the figures of one measurement.
 *
 * @param id id of the row in the table of targets, such as {@code P1}
 * @param operations number of measured operations
 * @param cpuMillis CPU time per operation of all processes of the service; empty where it is irrelevant or the system
 *     does not show it
 */
public record ReportRow(
        String id, String description, long operations, OptionalDouble cpuMillis, List<MeasuredValue> values) {
    public ReportRow {
        values = List.copyOf(values);
    }
}
