package org.sallyport.bench.row;

import java.time.Duration;

/**
 * Settings of a measurement beside executions that wait.
 *
 * @param waitingExecutions number of executions that wait at the same time
 * @param rounds number of rounds; each submits these executions and waits for their ends
 * @param window duration of the trivial scripts beside them, and again without them, in each round
 */
public record ConcurrencySettings(int waitingExecutions, int rounds, Duration window) {}
