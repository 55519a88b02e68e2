package org.sallyport.bench.report;

/**
 * A part of the way of one operation, in milliseconds.
 *
 * @param name from where to where
 * @param description what happens there
 */
public record StageLatency(String name, String description, double p50, double p99, double mean) {}
