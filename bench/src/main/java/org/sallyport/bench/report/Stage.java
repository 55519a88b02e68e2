package org.sallyport.bench.report;

/**
 * A part of the way of one operation, in milliseconds.
 *
 * @param name from where to where
 * @param what what happens there
 */
public record Stage(String name, String what, double p50, double p99, double mean) {}
