package org.sallyport.bench.row;

import java.time.Duration;

/**
 * Executions that wait at one time, and how long what runs beside them is measured.
 *
 * @param rounds how often they come and go
 * @param window of trivial scripts beside them, and again without them
 */
public record ConcurrencySettings(int waitingExecutions, int rounds, Duration window) {}
