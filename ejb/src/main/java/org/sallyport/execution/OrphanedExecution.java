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
 * @param replayLosses how many earlier attempts were lost while they ran alone and replayed the journal, since a replay
 *     was complete
 * @param replayedAlone whether the present attempt ran alone and was replaying the journal
 */
public record OrphanedExecution(
        FencingToken fence,
        Durability durability,
        boolean cancelRequested,
        int losses,
        int lossesAlone,
        boolean ranAlone,
        int replayLosses,
        boolean replayedAlone) {
    /** Creates an execution that never ran alone while it replayed its journal. */
    public OrphanedExecution(
            FencingToken fence,
            Durability durability,
            boolean cancelRequested,
            int losses,
            int lossesAlone,
            boolean ranAlone) {
        this(fence, durability, cancelRequested, losses, lossesAlone, ranAlone, 0, false);
    }
}
