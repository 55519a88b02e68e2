package org.sallyport.policy;

import java.time.Instant;
import org.sallyport.tool.Json;

/**
 * One version of a tenant's policy. A stored version never changes; the newest is in force.
 *
 * @param version number from 1
 * @param document the policy document
 * @param comment reason of the change
 * @param author id of the key that stored it
 * @param createdAt when it was stored
 */
public record PolicyVersion(long version, Json document, String comment, String author, Instant createdAt) {}
