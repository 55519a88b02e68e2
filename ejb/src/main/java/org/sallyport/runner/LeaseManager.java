package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.node.DuplicateNodeIdException;
import org.sallyport.node.LeaseAcquisition;
import org.sallyport.node.NodeIdentity;
import org.sallyport.node.NodeLease;
import org.sallyport.node.NodeStore;

/**
 * Keeps this node's lease, and stops what runs before others may believe the node gone. Its own time is counted from before
 * a renewal was sent, on a clock that nobody sets, so it ends before the store's. Thread-safe.
 */
public final class LeaseManager {
    private static final Logger LOG = System.getLogger(LeaseManager.class.getName());

    private final NodeStore store;
    private final NodeIdentity node;
    private final Duration leaseDuration;
    private final LongSupplier nanoTime;
    private final LeaseHolder leaseHolder;
    private final long validNanos;

    private int term = 1;
    private long renewedNanos;
    private LeaseState state = LeaseState.OUT;

    /** What the lease allows. Neither method waits for anything. */
    public interface LeaseHolder {
        /** Stops all at once, writes nothing of it, and takes nothing more. */
        void stop();

        /** Takes work again, in the name of {@code holder}. */
        void startAccepting(String holder);
    }

    /** How it stands with the lease. */
    public enum LeaseState {
        /** It was never taken, or given back. */
        OUT,
        /** This node may run executions. */
        HELD,
        /** It could not be renewed in time: nothing runs until it is. */
        LAPSED,
        /** Another life of this node has it: nothing runs here ever again. */
        LOST
    }

    /**
     * @param time how long the lease lasts by the store's clock
     * @param nanoTime a clock that nobody sets, in nanoseconds
     * @param work what must stop in time
     */
    public LeaseManager(NodeStore store, NodeIdentity node, Duration time, LongSupplier nanoTime, LeaseHolder work) {
        this.store = store;
        this.node = node;
        this.leaseDuration = time;
        this.nanoTime = nanoTime;
        this.leaseHolder = work;
        // The last third is for what runs to be stopped.
        this.validNanos = time.toNanos() / 3 * 2;
    }

    /** Takes the lease and lets work begin; {@link DuplicateNodeIdException} when another node lives under this id. */
    public synchronized void acquire() {
        long sent = nanoTime.getAsLong();
        LeaseAcquisition joining = store.acquireLease(node, node.leaseHolder(term), leaseDuration);
        if (joining instanceof LeaseAcquisition.LeaseHeldElsewhere refused) {
            throw new DuplicateNodeIdException(duplicateNodeMessage(refused.lease()));
        }
        renewedNanos = sent;
        state = LeaseState.HELD;
        leaseHolder.startAccepting(node.leaseHolder(term));
    }

    private String duplicateNodeMessage(NodeLease lease) {
        return "there is another node with the id '" + node.id() + "': it lives at " + lease.hostPath()
                + ", this one at "
                + node.hostPath() + ", and its lease lasts until " + lease.expiresAt()
                + "; give each node a sallyport.node.id of its own, or wait for that time when that node is gone";
    }

    /** Renews; waits for the store. Called by one thread at a time, several times within the lease. */
    public void renew() {
        int asked;
        long sent = nanoTime.getAsLong();
        synchronized (this) {
            checkExpiry();
            if (state == LeaseState.OUT || state == LeaseState.LOST) {
                return;
            }
            asked = term;
        }
        try {
            applyRenewal(store.renewLease(node, node.leaseHolder(asked), leaseDuration), asked, sent);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "the lease of this node could not be renewed", e);
        } catch (RuntimeException e) {
            // Whatever it is, it must not be the last renewal that is tried.
            LOG.log(Level.ERROR, "the lease of this node could not be renewed", e);
        }
    }

    private synchronized void applyRenewal(boolean ours, int asked, long sent) {
        if (state == LeaseState.OUT) {
            return;
        } else if (!ours) {
            stopForGood();
        } else if (asked == term && nanoTime.getAsLong() - sent < validNanos) {
            renewedNanos = sent;
            if (state == LeaseState.LAPSED) {
                state = LeaseState.HELD;
                LOG.log(Level.INFO, "this node has its lease again and takes executions");
                leaseHolder.startAccepting(node.leaseHolder(term));
            }
        }
    }

    private void stopForGood() {
        state = LeaseState.LOST;
        LOG.log(
                Level.ERROR,
                "another life of node {0} has its lease: this process stops all executions and takes none; end it",
                node.id());
        leaseHolder.stop();
    }

    /** Stops everything when the lease could not be renewed in time. Never waits; called often. */
    public synchronized void checkExpiry() {
        if (state == LeaseState.HELD && nanoTime.getAsLong() - renewedNanos >= validNanos) {
            state = LeaseState.LAPSED;
            // What was held in the old name is found by whoever looks, this node included.
            term++;
            LOG.log(Level.WARNING, "this node could not renew its lease in time: its executions stop and run again");
            leaseHolder.stop();
        }
    }

    /** Gives the lease back; whatever is still held is for others at once. */
    public void release() {
        synchronized (this) {
            if (state == LeaseState.OUT || state == LeaseState.LOST) {
                return;
            }
            state = LeaseState.OUT;
        }
        try {
            store.releaseLease(node);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "the lease of this node ends by itself", e);
        }
    }

    /** Whose lease it is. */
    public NodeIdentity node() {
        return node;
    }

    /** How it stands now. */
    public synchronized LeaseState state() {
        return state;
    }

    /** How long ago the renewal that holds was sent. */
    public synchronized Duration renewalAge() {
        return Duration.ofNanos(nanoTime.getAsLong() - renewedNanos);
    }
}
