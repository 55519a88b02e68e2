package org.sallyport.bridge;

import java.time.Duration;

/**
 * The lease of this node, from the view of a sender. A lease that has ended is followed by one with another term, under
 * which nothing of the old term may be sent. Implementations are thread-safe and never block.
 */
public interface LeaseView {
    /** The view of a node that has not acquired a lease yet. */
    LeaseView NONE = new LeaseView() {
        @Override
        public int term() {
            return 0;
        }

        @Override
        public Duration remaining(int asked) {
            return Duration.ZERO;
        }
    };

    /** Returns the number of the term in which this node holds its lease now; 0 if it does not hold it. */
    int term();

    /**
     * Returns for how long this node certainly holds the lease of the term {@code asked}; not positive if it must send
     * nothing under it. Once it is not positive, it stays so.
     */
    Duration remaining(int asked);
}
