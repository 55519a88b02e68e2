package org.sallyport.bench.report;

import java.util.List;
import java.util.OptionalDouble;

/**
 * Everything measured of one thing.
 *
 * @param id its name in the table of targets, such as {@code P1}
 * @param operations how many were measured
 * @param cpuMillis computing time that one of them took of all processes of the service; nothing where it does not matter or
 *     the system does not show it
 */
public record ReportRow(
        String id, String description, long operations, OptionalDouble cpuMillis, List<MeasuredValue> values) {
    public ReportRow {
        values = List.copyOf(values);
    }
}
