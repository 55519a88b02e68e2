package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Lets short writes share transactions. Writes that arrive while a transaction is running go into the next one
 * together, so that many callers share one commit; a single caller does not wait for others. A long write has a
 * transaction of its own, and between two long writes a group of short ones runs: the long texts of one tenant must not
 * delay the writes of all others. Each write must be repeatable and touch only rows of its own: if one write fails, its
 * whole group is rolled back, and each write of the group then runs in a transaction of its own. If the database is
 * unavailable, or the outcome of the commit is unknown, all writes of the group fail with the same exception.
 * Thread-safe.
 */
final class GroupCommit {
    /** Bounds how long a caller waits for the other writes of its group. */
    private static final int MAX_GROUP_SIZE = 32;

    /** Writes of more bytes are long. */
    static final int MAX_SHORT_BYTES = 64 << 10;

    /** Maximum bytes of a group of short writes. */
    private static final int MAX_GROUP_BYTES = 256 << 10;

    private final TransactionRunner transactions;
    // Guarded by this.
    private final Deque<PendingWrite<?>> shortWrites = new ArrayDeque<>();
    private final Deque<PendingWrite<?>> longWrites = new ArrayDeque<>();
    private boolean groupRunning;
    private boolean longWriteRunning;

    /** Runs work in a transaction. Its exceptions are already translated for the callers of the store. */
    interface TransactionRunner {
        <T> T write(Function<EntityManager, T> work);
    }

    GroupCommit(TransactionRunner transactions) {
        this.transactions = transactions;
    }

    /**
     * Runs {@code work} and returns its result after the commit. Blocks until then; rethrows the failure of the work or
     * of its transaction.
     *
     * @param bytes about how many bytes the work writes
     */
    <T> T write(long bytes, Function<EntityManager, T> work) {
        PendingWrite<T> write = new PendingWrite<>(bytes, work);
        List<PendingWrite<?>> group = startOrEnqueue(write) ? List.of(write) : write.groupToLead.join();
        if (!group.isEmpty()) {
            runGroup(group);
        }
        return write.result(transactions);
    }

    private synchronized boolean startOrEnqueue(PendingWrite<?> write) {
        if (groupRunning) {
            (write.isLong() ? longWrites : shortWrites).add(write);
            return false;
        }
        groupRunning = true;
        longWriteRunning = write.isLong();
        return true;
    }

    private void runGroup(List<PendingWrite<?>> group) {
        try {
            if (group.size() > 1) {
                commit(group);
            } else {
                group.get(0).runAlone(transactions);
            }
        } finally {
            group.get(0).findUnavailable().ifPresent(this::failWaiting);
            startNextGroup();
            group.stream().skip(1).forEach(PendingWrite::releaseFollower);
        }
    }

    /**
     * Fails all queued writes. Their callers have already waited for a database that does not answer, and must not wait
     * again. None of these writes is stored, because none has begun.
     */
    private synchronized void failWaiting(StoreUnavailableException away) {
        StoreUnavailableException notBegun = new StoreUnavailableException(String.valueOf(away.getMessage()), away);
        for (Deque<PendingWrite<?>> waiting : List.of(shortWrites, longWrites)) {
            waiting.forEach(write -> {
                write.markFailed(notBegun);
                write.releaseFollower();
            });
            waiting.clear();
        }
    }

    private synchronized void startNextGroup() {
        List<PendingWrite<?>> next = new ArrayList<>();
        longWriteRunning = !longWrites.isEmpty() && (shortWrites.isEmpty() || !longWriteRunning);
        if (longWriteRunning) {
            next.add(longWrites.remove());
        } else {
            long bytes = 0;
            while (!shortWrites.isEmpty()
                    && next.size() < MAX_GROUP_SIZE
                    && bytes + shortWrites.element().bytes <= MAX_GROUP_BYTES) {
                bytes += shortWrites.element().bytes;
                next.add(shortWrites.remove());
            }
        }
        groupRunning = !next.isEmpty();
        if (groupRunning) {
            next.get(0).groupToLead.complete(next);
        }
    }

    private void commit(List<PendingWrite<?>> group) {
        boolean[] allApplied = new boolean[1];
        try {
            transactions.write(session -> {
                for (PendingWrite<?> write : group) {
                    write.apply(session);
                    session.flush();
                    // The next write must not see entities that this write has read.
                    session.clear();
                }
                allApplied[0] = true;
                return allApplied;
            });
            group.forEach(PendingWrite::markCommitted);
        } catch (RuntimeException e) {
            if (isUnavailable(e) || allApplied[0] && !SqlErrorClassifier.isContention(e)) {
                // Either it is unknown whether the commit succeeded, or each write would also fail in its own
                // transaction.
                group.forEach(write -> write.markFailed(e));
            }
        }
    }

    private static boolean isUnavailable(RuntimeException failure) {
        return failure instanceof StoreUnavailableException && !SqlErrorClassifier.isContention(failure);
    }

    /** The write of one caller. {@link #groupToLead} publishes its fields from one thread to the next. */
    private static final class PendingWrite<T> {
        final long bytes;
        private final Function<EntityManager, T> work;
        /**
         * Completes when the thread of this write may continue: with the group that it must run, or with an empty list
         * if another thread has run the group.
         */
        private final CompletableFuture<List<PendingWrite<?>>> groupToLead = new CompletableFuture<>();

        private @Nullable T value;
        private boolean committed;
        private @Nullable RuntimeException failure;

        PendingWrite(long bytes, Function<EntityManager, T> work) {
            this.bytes = bytes;
            this.work = work;
        }

        boolean isLong() {
            return bytes > MAX_SHORT_BYTES;
        }

        void apply(EntityManager session) {
            value = work.apply(session);
        }

        void markCommitted() {
            committed = true;
        }

        void markFailed(RuntimeException e) {
            failure = e;
        }

        /** Lets the thread of this write continue without a group to run. */
        void releaseFollower() {
            groupToLead.complete(List.of());
        }

        Optional<StoreUnavailableException> findUnavailable() {
            return failure instanceof StoreUnavailableException away && isUnavailable(away)
                    ? Optional.of(away)
                    : Optional.empty();
        }

        void runAlone(TransactionRunner transactions) {
            try {
                value = transactions.write(work);
                committed = true;
            } catch (RuntimeException e) {
                failure = e;
            }
        }

        @SuppressWarnings("NullAway") // after a commit the value is what work returned
        T result(TransactionRunner transactions) {
            if (!committed && failure == null) {
                runAlone(transactions);
            }
            if (failure != null) {
                throw failure;
            }
            return value;
        }
    }
}
