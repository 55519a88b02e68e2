package org.sallyport.connector.external;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * Clocks of external backends.
 *
 * @param wallClock time of day, used in messages
 * @param nanoTime monotonic time, so that a clock adjustment does not make a connector appear silent
 */
public record TimeSource(InstantSource wallClock, LongSupplier nanoTime) {}
