package org.sallyport.bench.report;

/**
 * Latency of one stage of an operation, in milliseconds.
 *
 * @param name the start and the end of the stage
 * @param description the steps of the stage
 */
public record StageLatency(String name, String description, double p50, double p99, double mean) {}
