package org.sallyport.store;

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
 * Lets short writes share transactions: what comes while another transaction is under way goes into the next one, so that
 * many callers pay for one commit, and a single one waits for nobody. Each write must be repeatable and touch only rows
 * of its own: one that fails is rolled back with its neighbours, and then each is made alone. Thread-safe.
 */
final class GroupCommit {
    /** So that nobody waits long for the neighbours. */
    private static final int MAX_GROUP_SIZE = 32;

    private final TransactionRunner transactions;
    private final Deque<PendingWrite<?>> waiting = new ArrayDeque<>();
    private boolean groupRunning;

    /** Runs work in a transaction; what it throws is what callers of the store are to see. */
    interface TransactionRunner {
        <T> T write(Function<EntityManager, T> work);
    }

    GroupCommit(TransactionRunner transactions) {
        this.transactions = transactions;
    }

    /** What {@code work} returns, once it is committed. */
    <T> T write(Function<EntityManager, T> work) {
        PendingWrite<T> write = new PendingWrite<>(work);
        List<PendingWrite<?>> group = startOrEnqueue(write) ? List.of(write) : write.groupToLead.join();
        if (!group.isEmpty()) {
            runGroup(group);
        }
        return write.result(transactions);
    }

    private synchronized boolean startOrEnqueue(PendingWrite<?> write) {
        if (groupRunning) {
            waiting.add(write);
            return false;
        }
        groupRunning = true;
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

    /** Who waited for a database that does not answer has waited long enough. */
    private synchronized void failWaiting(StoreUnavailableException away) {
        waiting.forEach(write -> {
            write.markFailed(away);
            write.releaseFollower();
        });
        waiting.clear();
    }

    private synchronized void startNextGroup() {
        List<PendingWrite<?>> next = new ArrayList<>();
        while (!waiting.isEmpty() && next.size() < MAX_GROUP_SIZE) {
            next.add(waiting.remove());
        }
        groupRunning = !next.isEmpty();
        if (groupRunning) {
            next.get(0).groupToLead.complete(next);
        }
    }

    private void commit(List<PendingWrite<?>> group) {
        boolean[] made = new boolean[1];
        try {
            transactions.write(session -> {
                for (PendingWrite<?> write : group) {
                    write.apply(session);
                    session.flush();
                    // The next one must not see rows as this one has read them.
                    session.clear();
                }
                made[0] = true;
                return made;
            });
            group.forEach(PendingWrite::markCommitted);
        } catch (RuntimeException e) {
            if (isUnavailable(e) || made[0] && !SqlErrorClassifier.isContention(e)) {
                // Nobody knows whether it is committed, or nobody would fare better alone.
                group.forEach(write -> write.markFailed(e));
            }
        }
    }

    private static boolean isUnavailable(RuntimeException failure) {
        return failure instanceof StoreUnavailableException && !SqlErrorClassifier.isContention(failure);
    }

    /** One caller's. Its fields are handed from thread to thread by {@link #groupToLead}. */
    private static final class PendingWrite<T> {
        private final Function<EntityManager, T> work;
        /** Its thread goes on: leading the group, or when that is empty, because another has led it. */
        private final CompletableFuture<List<PendingWrite<?>>> groupToLead = new CompletableFuture<>();

        private @Nullable T value;
        private boolean committed;
        private @Nullable RuntimeException failure;

        PendingWrite(Function<EntityManager, T> work) {
            this.work = work;
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

        /** Not to lead. */
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

        @SuppressWarnings("NullAway") // what is done has given what work gives
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
