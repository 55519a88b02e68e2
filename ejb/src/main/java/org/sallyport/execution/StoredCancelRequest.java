package org.sallyport.execution;

import java.time.Instant;

/**
 * The stored request to cancel an execution. Later requests do not change it.
 *
 * @param request who requested it, and why
 * @param at when it was stored
 */
public record StoredCancelRequest(CancelRequest request, Instant at) {}
