package org.sallyport.execution;

/**
 * A running execution whose node holds no lease any more.
 *
 * @param fence its last claim
 * @param durability whether it may go on elsewhere
 * @param cancelRequested whether a caller asked to cancel it
 * @param nodeFailures how many of its runs were lost with their nodes before this one
 */
public record OrphanedExecution(FencingToken fence, Durability durability, boolean cancelRequested, int nodeFailures) {}
