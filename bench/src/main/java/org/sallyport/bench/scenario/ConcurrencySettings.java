package org.sallyport.bench.scenario;

import java.time.Duration;

/**
 * Settings of a measurement while other executions wait.
 *
 * @param waitingExecutions number of executions that wait at the same time
 * @param rounds number of rounds; each submits these executions and waits for their ends
 * @param window duration of the trivial scripts while they wait, and again without them, in each round
 */
public record ConcurrencySettings(int waitingExecutions, int rounds, Duration window) {}
