package org.sallyport.node;

import java.time.Instant;

/**
 * Snapshot of a node's lease, which entitles it to run executions.
 *
 * @param id the node
 * @param incarnation the incarnation that holds the lease
 * @param hostPath its host and data directory
 * @param startedAt when that incarnation started, by the store's clock
 * @param expiresAt when the lease expires, by the store's clock
 * @param expired whether it had expired
 */
public record NodeLease(
        String id, String incarnation, String hostPath, Instant startedAt, Instant expiresAt, boolean expired) {}
