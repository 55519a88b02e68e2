package org.sallyport.node;

import java.time.Instant;

/**
 * A node's right to run executions, as it was when it was read.
 *
 * @param id the node
 * @param incarnation the life of it that has the lease
 * @param hostPath its host and data directory
 * @param startedAt when that life began, by the store's clock
 * @param expiresAt when the lease ends, by the store's clock
 * @param expired whether it had ended
 */
public record NodeLease(
        String id, String incarnation, String hostPath, Instant startedAt, Instant expiresAt, boolean expired) {}
