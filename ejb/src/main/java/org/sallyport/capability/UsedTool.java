package org.sallyport.capability;

import java.time.Instant;

/**
 * A tool that executions of a version have used.
 *
 * @param tool its name, as {@code backend.tool}
 * @param hash hash of its input and output schema at the last use
 * @param hashSince the first use with this hash
 * @param lastUsedAt the last use, at most an hour too early
 */
public record UsedTool(String tool, String hash, Instant hashSince, Instant lastUsedAt) {}
