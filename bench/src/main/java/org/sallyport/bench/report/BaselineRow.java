package org.sallyport.bench.report;

import java.util.OptionalDouble;

/**
 * Measurement of a baseline in the same run.
 *
 * @param p50 median latency in milliseconds
 * @param cpuMillis CPU time of the process per operation
 */
public record BaselineRow(
        String description, long operations, double p50, double perSecond, OptionalDouble cpuMillis) {}
