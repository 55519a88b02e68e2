package org.sallyport.connector.external;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The time.
 *
 * @param wall of day, as messages have it
 * @param nanoTime since some moment: no adjustment of the clock makes a connector silent
 */
public record Clocks(InstantSource wall, LongSupplier nanoTime) {}
