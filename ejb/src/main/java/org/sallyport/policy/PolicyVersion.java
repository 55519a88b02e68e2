package org.sallyport.policy;

import java.time.Instant;
import org.sallyport.tool.Json;

/**
 * One version of a tenant's rules; never changed once it is stored. The newest is in force.
 *
 * @param version from 1
 * @param document the rules
 * @param comment why they were changed
 * @param author id of the key that stored them
 * @param createdAt when
 */
public record PolicyVersion(long version, Json document, String comment, String author, Instant createdAt) {}
