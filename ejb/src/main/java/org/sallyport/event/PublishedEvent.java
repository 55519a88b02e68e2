package org.sallyport.event;

import java.time.Instant;
import java.util.Optional;

/**
 * An event as subscribers see it.
 *
 * @param at when it was stored
 * @param emittedBy the caller that emitted it; empty if a script did
 */
public record PublishedEvent(ScriptEvent event, Instant at, Optional<String> emittedBy) {}
