package org.sallyport.execution;

import java.time.Instant;

/**
 * Why a parked execution waits.
 *
 * @param reason what for: {@code timer}
 * @param since when it was parked
 * @param until when it goes on at the latest
 */
public record Pause(String reason, Instant since, Instant until) {}
