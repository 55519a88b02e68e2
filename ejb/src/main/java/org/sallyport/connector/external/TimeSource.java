package org.sallyport.connector.external;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The time.
 *
 * @param wallClock of day, as messages have it
 * @param nanoTime since some moment: no adjustment of the clock makes a connector silent
 */
public record TimeSource(InstantSource wallClock, LongSupplier nanoTime) {}
