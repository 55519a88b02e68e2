package org.sallyport.bench.row;

import java.time.Duration;

/**
 * How long a load is measured: so many rounds, in each the service for a while and then the bare thing for a while.
 */
public record MeasurementWindow(int rounds, Duration serviceTime, Duration baselineTime) {}
