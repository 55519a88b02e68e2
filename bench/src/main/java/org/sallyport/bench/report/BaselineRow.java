package org.sallyport.bench.report;

import java.util.OptionalDouble;

/**
 * What the bare machine did in the same run.
 *
 * @param p50 milliseconds
 * @param cpuMillis computing time that one operation took of the process
 */
public record BaselineRow(
        String description, long operations, double p50, double perSecond, OptionalDouble cpuMillis) {}
