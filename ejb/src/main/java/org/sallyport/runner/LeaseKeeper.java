package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.node.Joining;
import org.sallyport.node.NodeIdentity;
import org.sallyport.node.NodeLease;
import org.sallyport.node.NodeStore;
import org.sallyport.node.NodeTakenException;

/**
 * Keeps this node's lease, and stops what runs before others may believe the node gone. Its own time is counted from before
 * a renewal was sent, on a clock that nobody sets, so it ends before the store's. Thread-safe.
 */
public final class LeaseKeeper {
    private static final Logger LOG = System.getLogger(LeaseKeeper.class.getName());

    private final NodeStore store;
    private final NodeIdentity node;
    private final Duration time;
    private final LongSupplier nanoTime;
    private final Work work;
    private final long goodForNanos;

    private int term = 1;
    private long renewedNanos;
    private Standing standing = Standing.OUT;

    /** What the lease allows. Neither method waits for anything. */
    public interface Work {
        /** Stops all at once, writes nothing of it, and takes nothing more. */
        void stop();

        /** Takes work again, in the name of {@code holder}. */
        void resume(String holder);
    }

    /** How it stands with the lease. */
    public enum Standing {
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
    public LeaseKeeper(NodeStore store, NodeIdentity node, Duration time, LongSupplier nanoTime, Work work) {
        this.store = store;
        this.node = node;
        this.time = time;
        this.nanoTime = nanoTime;
        this.work = work;
        // The last third is for what runs to be stopped.
        this.goodForNanos = time.toNanos() / 3 * 2;
    }

    /** Takes the lease and lets work begin; {@link NodeTakenException} when another node lives under this id. */
    public synchronized void join() {
        long sent = nanoTime.getAsLong();
        Joining joining = store.join(node, node.holder(term), time);
        if (joining instanceof Joining.Refused refused) {
            throw new NodeTakenException(taken(refused.lease()));
        }
        renewedNanos = sent;
        standing = Standing.HELD;
        work.resume(node.holder(term));
    }

    private String taken(NodeLease lease) {
        return "there is another node with the id '" + node.id() + "': it lives at " + lease.home() + ", this one at "
                + node.home() + ", and its lease lasts until " + lease.until()
                + "; give each node a sallyport.node.id of its own, or wait for that time when that node is gone";
    }

    /** Renews; waits for the store. Called by one thread at a time, several times within the lease. */
    public void renew() {
        int asked;
        long sent = nanoTime.getAsLong();
        synchronized (this) {
            watch();
            if (standing == Standing.OUT || standing == Standing.LOST) {
                return;
            }
            asked = term;
        }
        try {
            renewed(store.renew(node, node.holder(asked), time), asked, sent);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "the lease of this node could not be renewed", e);
        } catch (RuntimeException e) {
            // Whatever it is, it must not be the last renewal that is tried.
            LOG.log(Level.ERROR, "the lease of this node could not be renewed", e);
        }
    }

    private synchronized void renewed(boolean ours, int asked, long sent) {
        if (standing == Standing.OUT) {
            return;
        } else if (!ours) {
            lose();
        } else if (asked == term && nanoTime.getAsLong() - sent < goodForNanos) {
            renewedNanos = sent;
            if (standing == Standing.LAPSED) {
                standing = Standing.HELD;
                LOG.log(Level.INFO, "this node has its lease again and takes executions");
                work.resume(node.holder(term));
            }
        }
    }

    private void lose() {
        standing = Standing.LOST;
        LOG.log(
                Level.ERROR,
                "another life of node {0} has its lease: this process stops all executions and takes none; end it",
                node.id());
        work.stop();
    }

    /** Stops everything when the lease could not be renewed in time. Never waits; called often. */
    public synchronized void watch() {
        if (standing == Standing.HELD && nanoTime.getAsLong() - renewedNanos >= goodForNanos) {
            standing = Standing.LAPSED;
            // What was held in the old name is found by whoever looks, this node included.
            term++;
            LOG.log(Level.WARNING, "this node could not renew its lease in time: its executions stop and run again");
            work.stop();
        }
    }

    /** Gives the lease back; whatever is still held is for others at once. */
    public void leave() {
        synchronized (this) {
            if (standing == Standing.OUT || standing == Standing.LOST) {
                return;
            }
            standing = Standing.OUT;
        }
        try {
            store.leave(node);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "the lease of this node ends by itself", e);
        }
    }

    /** Whose lease it is. */
    public NodeIdentity node() {
        return node;
    }

    /** How it stands now. */
    public synchronized Standing standing() {
        return standing;
    }

    /** How long ago the renewal that holds was sent. */
    public synchronized Duration age() {
        return Duration.ofNanos(nanoTime.getAsLong() - renewedNanos);
    }
}
