package org.sallyport.node;

import java.time.Instant;

/**
 * A node's right to run executions, as it was when it was read.
 *
 * @param id the node
 * @param incarnation the life of it that has the lease
 * @param home its host and data directory
 * @param startedAt when that life began, by the store's clock
 * @param until when the lease ends, by the store's clock
 * @param expired whether it had ended
 */
public record NodeLease(
        String id, String incarnation, String home, Instant startedAt, Instant until, boolean expired) {}
