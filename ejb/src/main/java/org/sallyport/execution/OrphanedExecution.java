package org.sallyport.execution;

/**
 * A running execution whose node no longer holds a lease.
 *
 * @param fence its last claim
 * @param durability whether another node may continue it
 * @param cancelRequested whether a client requested its cancellation
 * @param losses how many earlier attempts were lost with their nodes
 * @param lossesAlone how many of them ran alone on their node
 * @param ranAlone whether the present attempt ran alone on its node
 */
public record OrphanedExecution(
        FencingToken fence,
        Durability durability,
        boolean cancelRequested,
        int losses,
        int lossesAlone,
        boolean ranAlone) {}
