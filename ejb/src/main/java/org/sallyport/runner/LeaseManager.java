package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.sallyport.bridge.LeaseView;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.node.DuplicateNodeIdException;
import org.sallyport.node.LeaseAcquisition;
import org.sallyport.node.LeaseRenewal;
import org.sallyport.node.NodeIdentity;
import org.sallyport.node.NodeLease;
import org.sallyport.node.NodeStore;

/**
 * Renews this node's lease, and stops its executions before other nodes may consider this node gone. Validity is
 * measured on a monotonic clock from before each renewal was sent, so it ends before the lease in the store does.
 * Thread-safe.
 */
public final class LeaseManager implements LeaseView {
    private static final Logger LOG = System.getLogger(LeaseManager.class.getName());

    private final NodeStore store;
    private final NodeIdentity node;
    private final Duration leaseDuration;
    private final LongSupplier nanoTime;
    private final LeaseListener leaseListener;
    private final long validNanos;

    /** Volatile like the state, for {@link #isValid} and {@link #remaining}. */
    private volatile int term = 1;

    private volatile long renewedNanos;

    private volatile LeaseState state = LeaseState.OUT;

    /** Runs work while the lease is held. Neither method blocks. */
    public interface LeaseListener {
        /** Stops all executions immediately, writes nothing for them, and claims no more. */
        void stop();

        /**
         * Starts claiming work when the process has acquired the lease.
         *
         * @param uncleanStarts number of starts of the node in a row that did not follow a clean stop
         */
        default void onAcquired(int uncleanStarts, String leaseOwner) {
            startAccepting(leaseOwner);
        }

        /** Starts claiming work under the lease owner {@code leaseOwner}. */
        void startAccepting(String leaseOwner);
    }

    /** State of the lease. */
    public enum LeaseState {
        /** The lease was never acquired, or was released. */
        OUT,
        /** This node may run executions. */
        HELD,
        /** The lease was not renewed in time: nothing runs until it is renewed. */
        LAPSED,
        /** A newer incarnation of this node holds the lease: this process never runs an execution again. */
        LOST
    }

    /**
     * @param time duration of the lease by the store's clock
     * @param nanoTime a monotonic clock, in nanoseconds
     * @param work the work to stop when the lease ends
     */
    public LeaseManager(NodeStore store, NodeIdentity node, Duration time, LongSupplier nanoTime, LeaseListener work) {
        this.store = store;
        this.node = node;
        this.leaseDuration = time;
        this.nanoTime = nanoTime;
        this.leaseListener = work;
        // The last third of the lease is reserved for stopping executions.
        this.validNanos = time.toNanos() / 3 * 2;
    }

    /**
     * Acquires the lease and starts work.
     *
     * @throws DuplicateNodeIdException if another node with this id holds the lease
     */
    public synchronized void acquire() {
        long sent = nanoTime.getAsLong();
        LeaseAcquisition acquisition = store.acquireLease(node, node.leaseOwner(term), leaseDuration);
        if (acquisition instanceof LeaseAcquisition.LeaseHeldElsewhere refused) {
            throw new DuplicateNodeIdException(duplicateNodeMessage(refused.lease()));
        }
        renewedNanos = sent;
        state = LeaseState.HELD;
        int uncleanStarts =
                acquisition instanceof LeaseAcquisition.LeaseAcquired acquired ? acquired.uncleanStarts() : 0;
        leaseListener.onAcquired(uncleanStarts, node.leaseOwner(term));
    }

    private String duplicateNodeMessage(NodeLease lease) {
        return "another node has the id '" + node.id() + "': it runs at " + lease.hostPath()
                + ", this one at "
                + node.hostPath() + ", and its lease expires at " + lease.expiresAt()
                + "; give each node its own sallyport.node.id, or start after that time if the other node is gone";
    }

    /**
     * Renews the lease. Waits for the store. Must be called by one thread at a time, several times per lease duration.
     */
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
            applyRenewal(store.renewLease(node, asked, leaseDuration), asked, sent);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "the lease of this node could not be renewed; the node tries again", e);
        } catch (RuntimeException e) {
            // An unexpected error must not end the renewals.
            LOG.log(Level.ERROR, "the lease of this node could not be renewed; the node tries again", e);
        }
    }

    private synchronized void applyRenewal(LeaseRenewal renewal, int asked, long sent) {
        // A lease that ended while the store was asked is not extended: calls may have been held back already.
        checkExpiry();
        if (state == LeaseState.OUT) {
            return;
        } else if (renewal == LeaseRenewal.TAKEN) {
            stopForGood();
        } else if (asked != term) {
            return; // The term ended while the store was asked.
        } else if (renewal == LeaseRenewal.EXPIRED) {
            endTerm();
        } else if (nanoTime.getAsLong() - sent < validNanos) {
            renewedNanos = sent;
            if (state == LeaseState.LAPSED) {
                state = LeaseState.HELD;
                LOG.log(Level.INFO, "this node holds its lease again and claims executions");
                leaseListener.startAccepting(node.leaseOwner(term));
            }
        }
    }

    private void stopForGood() {
        state = LeaseState.LOST;
        LOG.log(
                Level.ERROR,
                "node {0}: a newer incarnation holds the lease; this process stops all executions and claims none:"
                        + " terminate it",
                node.id());
        leaseListener.stop();
    }

    /** Stops all executions when the lease was not renewed in time. Never blocks; called often. */
    public synchronized void checkExpiry() {
        if (state == LeaseState.HELD && nanoTime.getAsLong() - renewedNanos >= validNanos) {
            endTerm();
        }
    }

    private void endTerm() {
        // Executions claimed under the old lease owner become orphans, which any node recovers, this one included.
        int next = term + 1;
        term = next;
        if (state == LeaseState.HELD) {
            state = LeaseState.LAPSED;
            LOG.log(Level.WARNING, "this node could not renew its lease in time: its executions stop and run again");
            leaseListener.stop();
        }
    }

    /**
     * Returns whether this node holds its lease at this moment, even before {@link #checkExpiry} detects that it does
     * not. Never blocks.
     */
    public boolean isValid() {
        return state == LeaseState.HELD && nanoTime.getAsLong() - renewedNanos < validNanos;
    }

    @Override
    public int term() {
        int current = term;
        return isValid() ? current : 0;
    }

    @Override
    public Duration remaining(int asked) {
        long age = nanoTime.getAsLong() - renewedNanos;
        // The term is read last: if it is still the same one, its lease was valid when the state was read.
        return isValid() && asked == term ? leaseDuration.minusNanos(age) : Duration.ZERO;
    }

    /** Releases the lease. Executions still held under it are immediately free for other nodes. */
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
            LOG.log(Level.DEBUG, "the lease of this node could not be released; it expires", e);
        }
    }

    public NodeIdentity node() {
        return node;
    }

    public synchronized LeaseState state() {
        return state;
    }

    /** Returns the time since the last successful renewal was sent. */
    public synchronized Duration renewalAge() {
        return Duration.ofNanos(nanoTime.getAsLong() - renewedNanos);
    }
}
