package org.sallyport.bench.row;

import java.time.Duration;

/**
 * Executions that are parked, and others that wake beside them.
 *
 * @param parkedExecutions sleep for longer than anybody waits for
 * @param wakingExecutions wake meanwhile
 * @param firstSleep how long the first of those sleeps, at least as long as one must sleep to be parked
 * @param wakeSpread from the first to wake to the last
 */
public record SleepSettings(int parkedExecutions, int wakingExecutions, Duration firstSleep, Duration wakeSpread) {}
