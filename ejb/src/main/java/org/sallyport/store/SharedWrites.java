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
final class SharedWrites {
    /** So that nobody waits long for the neighbours. */
    private static final int MOST = 32;

    private final Transactions transactions;
    private final Deque<Write<?>> waiting = new ArrayDeque<>();
    private boolean underWay;

    /** Runs work in a transaction; what it throws is what callers of the store are to see. */
    interface Transactions {
        <T> T write(Function<EntityManager, T> work);
    }

    SharedWrites(Transactions transactions) {
        this.transactions = transactions;
    }

    /** What {@code work} returns, once it is committed. */
    <T> T write(Function<EntityManager, T> work) {
        Write<T> write = new Write<>(work);
        List<Write<?>> group = begins(write) ? List.of(write) : write.turn.join();
        if (!group.isEmpty()) {
            lead(group);
        }
        return write.result(transactions);
    }

    private synchronized boolean begins(Write<?> write) {
        if (underWay) {
            waiting.add(write);
            return false;
        }
        underWay = true;
        return true;
    }

    private void lead(List<Write<?>> group) {
        try {
            if (group.size() > 1) {
                commit(group);
            } else {
                group.get(0).make(transactions);
            }
        } finally {
            group.get(0).away().ifPresent(this::giveUp);
            handOver();
            group.stream().skip(1).forEach(Write::goOn);
        }
    }

    /** Who waited for a database that does not answer has waited long enough. */
    private synchronized void giveUp(StoreUnavailableException away) {
        waiting.forEach(write -> {
            write.failed(away);
            write.goOn();
        });
        waiting.clear();
    }

    private synchronized void handOver() {
        List<Write<?>> next = new ArrayList<>();
        while (!waiting.isEmpty() && next.size() < MOST) {
            next.add(waiting.remove());
        }
        underWay = !next.isEmpty();
        if (underWay) {
            next.get(0).turn.complete(next);
        }
    }

    private void commit(List<Write<?>> group) {
        boolean[] made = new boolean[1];
        try {
            transactions.write(session -> {
                for (Write<?> write : group) {
                    write.apply(session);
                    session.flush();
                    // The next one must not see rows as this one has read them.
                    session.clear();
                }
                made[0] = true;
                return made;
            });
            group.forEach(Write::committed);
        } catch (RuntimeException e) {
            if (isAway(e) || made[0] && !SqlFailures.isContention(e)) {
                // Nobody knows whether it is committed, or nobody would fare better alone.
                group.forEach(write -> write.failed(e));
            }
        }
    }

    private static boolean isAway(RuntimeException failure) {
        return failure instanceof StoreUnavailableException && !SqlFailures.isContention(failure);
    }

    /** One caller's. Its fields are handed from thread to thread by {@link #turn}. */
    private static final class Write<T> {
        private final Function<EntityManager, T> work;
        /** Its thread goes on: leading the group, or when that is empty, because another has led it. */
        private final CompletableFuture<List<Write<?>>> turn = new CompletableFuture<>();

        private @Nullable T given;
        private boolean done;
        private @Nullable RuntimeException failure;

        Write(Function<EntityManager, T> work) {
            this.work = work;
        }

        void apply(EntityManager session) {
            given = work.apply(session);
        }

        void committed() {
            done = true;
        }

        void failed(RuntimeException e) {
            failure = e;
        }

        /** Not to lead. */
        void goOn() {
            turn.complete(List.of());
        }

        Optional<StoreUnavailableException> away() {
            return failure instanceof StoreUnavailableException away && isAway(away)
                    ? Optional.of(away)
                    : Optional.empty();
        }

        void make(Transactions transactions) {
            try {
                given = transactions.write(work);
                done = true;
            } catch (RuntimeException e) {
                failure = e;
            }
        }

        @SuppressWarnings("NullAway") // what is done has given what work gives
        T result(Transactions transactions) {
            if (!done && failure == null) {
                make(transactions);
            }
            if (failure != null) {
                throw failure;
            }
            return given;
        }
    }
}
