package org.sallyport.bench.scenario;

import java.time.Duration;

/** Number of rounds of a measurement, and durations of the load of the service and of the baseline in each round. */
public record MeasurementWindow(int rounds, Duration serviceTime, Duration baselineTime) {}
