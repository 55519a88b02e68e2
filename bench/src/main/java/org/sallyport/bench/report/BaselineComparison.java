package org.sallyport.bench.report;

/**
 * The baseline of a figure, measured in the same run and in the unit of the figure.
 *
 * @param ratio how many times as long the service takes as the baseline; for memory and for the load of P13, the figure
 *     divided by {@code value}
 */
public record BaselineComparison(String name, double value, double ratio) {}
