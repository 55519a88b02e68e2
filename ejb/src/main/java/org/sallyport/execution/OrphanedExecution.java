package org.sallyport.execution;

/**
 * A running execution whose node no longer holds a lease.
 *
 * @param fence its last claim
 * @param durability whether another node may continue it
 * @param cancelRequested whether a client requested its cancellation
 * @param nodeFailures how many earlier attempts were lost with their nodes
 */
public record OrphanedExecution(FencingToken fence, Durability durability, boolean cancelRequested, int nodeFailures) {}
