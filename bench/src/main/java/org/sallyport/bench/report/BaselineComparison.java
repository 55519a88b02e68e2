package org.sallyport.bench.report;

/**
 * What a figure is compared with, measured in the same run and in the figure's unit.
 *
 * @param ratio how many times as long the service takes
 */
public record BaselineComparison(String name, double value, double ratio) {}
