package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import jakarta.persistence.EntityManager;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.StoreUnavailableException;

class GroupCommitTest {
    private static final long SHORT = GroupCommit.MAX_SHORT_BYTES;
    private static final long LONG = GroupCommit.MAX_SHORT_BYTES + 1;

    private final TestDatabase database = TestDatabase.h2();
    private final CountingTransactionRunner transactions = new CountingTransactionRunner();
    private final GroupCommit writes = new GroupCommit(transactions);

    @BeforeEach
    void table() {
        database.database()
                .write(session -> session.createNativeQuery("create table shared_write (id integer primary key)")
                        .executeUpdate());
    }

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    /** Counts real transactions. Can block them before they start, and fail them after their work. */
    private final class CountingTransactionRunner implements GroupCommit.TransactionRunner {
        final AtomicInteger transactionCount = new AtomicInteger();
        volatile CountDownLatch gate = new CountDownLatch(0);
        volatile @Nullable RuntimeException injectedFailure;
        /** The number of the transaction that fails; 0 for all. */
        volatile int failingTransaction;

        @Override
        public <T> T write(Function<EntityManager, T> work) {
            int number = transactionCount.incrementAndGet();
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return database.database().write(session -> {
                T result = work.apply(session);
                RuntimeException failure = injectedFailure;
                if (failure != null && (failingTransaction == 0 || failingTransaction == number)) {
                    throw failure;
                }
                return result;
            });
        }
    }

    @Test
    void singleWriteHasItsOwnTransaction() {
        assertThat(writes.write(SHORT, insert(1))).isEqualTo(1);
        assertThat(writes.write(SHORT, insert(2))).isEqualTo(2);

        assertThat(transactions.transactionCount).hasValue(2);
        assertThat(rows()).isEqualTo(2);
    }

    @Test
    void concurrentWritesShareTheNextTransaction() throws Exception {
        List<CompletableFuture<Integer>> all = startBlocked(insert(1), insert(2), insert(3), insert(4));
        release();

        assertThat(all).extracting(CompletableFuture::join).containsExactly(1, 2, 3, 4);
        assertThat(transactions.transactionCount).hasValue(2);
        assertThat(rows()).isEqualTo(4);
    }

    @Test
    void longWritesAreAloneAndAGroupOfShortOnesRunsBetweenTwo() {
        assertThat(transactionsOf(SHORT, LONG, LONG, LONG, 0L, 0L)).containsExactly(1, 2, 4, 5, 3, 3);
    }

    @Test
    void groupIsBoundedByItsBytes() {
        assertThat(transactionsOf(LONG, SHORT, SHORT, SHORT, SHORT, SHORT, 0L)).containsExactly(1, 2, 2, 2, 2, 3, 3);
    }

    @Test
    void groupIsBoundedByItsWrites() {
        Long[] sizes = Collections.nCopies(34, 0L).toArray(Long[]::new);
        assertThat(transactionsOf(sizes)).startsWith(1, 2).endsWith(2, 3).hasSize(34);
    }

    /** Returns the number of the transaction of each write. The first one runs already when the others arrive. */
    private List<Integer> transactionsOf(Long... bytes) {
        List<CompletableFuture<Integer>> all = startBlocked(IntStream.range(0, bytes.length)
                .mapToObj(key -> new SizedWrite(
                        bytes[key], insert(key).andThen(inserted -> transactions.transactionCount.get()))));
        release();
        List<Integer> numbers = all.stream().map(CompletableFuture::join).toList();
        assertThat(rows()).isEqualTo(bytes.length);
        return numbers;
    }

    @Test
    void allQueuedWritesFailWhenTheDatabaseIsDown() {
        List<CompletableFuture<Integer>> all = startBlocked(Stream.of(
                new SizedWrite(LONG, insert(1)), new SizedWrite(LONG, insert(2)), new SizedWrite(SHORT, insert(3))));
        transactions.injectedFailure = new StoreUnavailableException("away", new IllegalStateException());
        release();

        assertThat(all)
                .allSatisfy(each -> assertThatThrownBy(each::join).hasCauseInstanceOf(StoreUnavailableException.class));
        assertThat(transactions.transactionCount).hasValue(1);
        assertThat(rows()).isZero();

        transactions.injectedFailure = null;
        assertThat(writes.write(SHORT, insert(4))).isEqualTo(4);
    }

    @Test
    void failedWriteDoesNotAffectItsGroup() throws Exception {
        List<CompletableFuture<Integer>> all = startBlocked(insert(1), insert(2), insert(1), insert(3));
        release();

        assertThat(all.get(1).join()).isEqualTo(2);
        assertThat(all.get(3).join()).isEqualTo(3);
        assertThatThrownBy(all.get(2)::join).hasRootCauseInstanceOf(SQLIntegrityConstraintViolationException.class);
        assertThat(rows()).isEqualTo(3);
    }

    @Test
    void deadlockedGroupIsRetriedOneByOne() {
        List<CompletableFuture<Integer>> all = startBlocked(insert(1), insert(2), insert(3));
        transactions.failingTransaction = 2;
        transactions.injectedFailure =
                new StoreUnavailableException("in the way", new SQLException("deadlock detected", "40P01"));
        release();

        assertThat(all).extracting(CompletableFuture::join).containsExactly(1, 2, 3);
        assertThat(transactions.transactionCount).hasValue(4);
        assertThat(rows()).isEqualTo(3);
    }

    @Test
    void writeReadsFreshDataAfterOthersInItsTransaction() throws Exception {
        List<CompletableFuture<Integer>> all = startBlocked(
                insert(1),
                session -> session.createNativeQuery(
                                "insert into demo_count (tenant, name, total, calls) values ('t', 'n', 1, 1)")
                        .executeUpdate(),
                session -> (int)
                        session.find(DemoCountEntity.class, new DemoCountEntity.DemoCountPrimaryKey("t", "n")).total,
                session -> session.createNativeQuery("update demo_count set total = 2")
                        .executeUpdate(),
                session -> (int)
                        session.find(DemoCountEntity.class, new DemoCountEntity.DemoCountPrimaryKey("t", "n")).total);
        release();

        assertThat(all).extracting(CompletableFuture::join).containsExactly(1, 1, 1, 1, 2);
        assertThat(transactions.transactionCount).hasValue(2);
    }

    @Test
    void allWritesOfAGroupMayBeStoredWhenItsCommitIsNotAnswered() {
        List<CompletableFuture<Integer>> all = startBlocked(insert(1), insert(2), insert(3));
        transactions.failingTransaction = 2;
        transactions.injectedFailure =
                new StoreUnavailableException("no answer", new SQLException("completion unknown", "40003"), true);
        release();

        assertThat(all.get(0).join()).isEqualTo(1);
        assertThat(all.subList(1, 3)).allMatch(GroupCommitTest::maybeStored);
        assertThat(transactions.transactionCount).hasValue(2);
    }

    @Test
    void onlyTheLongWriteWhoseCommitIsNotAnsweredMayBeStored() {
        List<CompletableFuture<Integer>> all = startBlocked(Stream.of(
                new SizedWrite(SHORT, insert(1)),
                new SizedWrite(LONG, insert(2)),
                new SizedWrite(SHORT, insert(3)),
                new SizedWrite(LONG, insert(4))));
        transactions.failingTransaction = 2;
        transactions.injectedFailure = new StoreUnavailableException("no answer", new IllegalStateException(), true);
        release();

        assertThat(all.get(0).join()).isEqualTo(1);
        assertThat(maybeStored(all.get(1))).isTrue();
        assertThat(all.subList(2, 4)).noneMatch(GroupCommitTest::maybeStored);
        assertThat(transactions.transactionCount).hasValue(2);
    }

    @Test
    void queuedWriteOfAFailedGroupIsNotStored() {
        List<CompletableFuture<Integer>> all = startBlocked(insert(1), insert(2), insert(3));
        transactions.injectedFailure = new StoreUnavailableException("no answer", new IllegalStateException(), true);
        release();

        assertThat(maybeStored(all.get(0))).isTrue();
        assertThat(all.subList(1, 3)).noneMatch(GroupCommitTest::maybeStored);
        assertThat(transactions.transactionCount).hasValue(1);
    }

    private static boolean maybeStored(CompletableFuture<Integer> write) {
        return catchThrowableOfType(CompletionException.class, write::join).getCause()
                        instanceof StoreUnavailableException away
                && away.maybeStored();
    }

    @Test
    void concurrentWritesAreAllStored() {
        List<CompletableFuture<Integer>> all = IntStream.range(0, 500)
                .mapToObj(i -> startWrite(i % 9 == 0 ? LONG : SHORT, insert(i)).result())
                .toList();

        assertThat(all)
                .extracting(CompletableFuture::join)
                .doesNotHaveDuplicates()
                .hasSize(500);
        assertThat(rows()).isEqualTo(500);
    }

    /** Starts the first write in a transaction that blocks. The other writes queue behind it, in this order. */
    @SafeVarargs
    private List<CompletableFuture<Integer>> startBlocked(Function<EntityManager, Integer>... works) {
        return startBlocked(Stream.of(works).map(work -> new SizedWrite(SHORT, work)));
    }

    private List<CompletableFuture<Integer>> startBlocked(Stream<SizedWrite> works) {
        transactions.gate = new CountDownLatch(1);
        return works.map(work -> {
                    StartedWrite begun = startWrite(work.bytes(), work.work());
                    while (begun.thread().getState() != Thread.State.WAITING) {
                        LockSupport.parkNanos(1_000_000);
                    }
                    return begun.result();
                })
                .toList();
    }

    private void release() {
        transactions.gate.countDown();
    }

    private record SizedWrite(long bytes, Function<EntityManager, Integer> work) {}

    private record StartedWrite(Thread thread, CompletableFuture<Integer> result) {}

    private StartedWrite startWrite(long bytes, Function<EntityManager, Integer> work) {
        CompletableFuture<Integer> given = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                given.complete(writes.write(bytes, work));
            } catch (RuntimeException e) {
                given.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return new StartedWrite(thread, given);
    }

    private static Function<EntityManager, Integer> insert(int key) {
        return session -> {
            session.createNativeQuery("insert into shared_write (id) values (?1)")
                    .setParameter(1, key)
                    .executeUpdate();
            return key;
        };
    }

    private long rows() {
        return database.database()
                .read(session -> ((Number) session.createNativeQuery("select count(*) from shared_write")
                                .getSingleResult())
                        .longValue());
    }
}
