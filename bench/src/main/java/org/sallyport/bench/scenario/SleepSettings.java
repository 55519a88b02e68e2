package org.sallyport.bench.scenario;

import java.time.Duration;

/**
 * Numbers of parked executions, and of others that wake meanwhile.
 *
 * @param parkedExecutions executions that sleep longer than the measurement
 * @param wakingExecutions executions that wake meanwhile
 * @param firstSleep duration of the first sleep that ends, at least the minimum for parking
 * @param wakeSpread time from the first wake-up to the last
 */
public record SleepSettings(int parkedExecutions, int wakingExecutions, Duration firstSleep, Duration wakeSpread) {}
