package org.sallyport.execution;

/**
 * A running execution that a node holds.
 *
 * @param fence its last claim
 * @param durability whether it may be continued
 * @param cancelRequested whether a client requested its cancellation
 */
public record OwnedRun(FencingToken fence, Durability durability, boolean cancelRequested) {}
