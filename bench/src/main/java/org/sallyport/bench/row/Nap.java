package org.sallyport.bench.row;

import java.time.Duration;

/**
 * Executions that are parked, and others that wake beside them.
 *
 * @param parked sleep for longer than anybody waits for
 * @param woken wake meanwhile
 * @param sleep how long the first of those sleeps, at least as long as one must sleep to be parked
 * @param spread from the first to wake to the last
 */
public record Nap(int parked, int woken, Duration sleep, Duration spread) {}
