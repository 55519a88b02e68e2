package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.node.LeaseRenewal;
import org.sallyport.node.NodeIdentity;

/** Threads with a connection of their own do not wait for the connections of other threads. */
class DatabaseReservedTest {
    private static final int CONNECTIONS = 2;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final NodeIdentity NODE = new NodeIdentity("n", "n.life", "host:/data");

    @TempDir
    private Path directory;

    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final ExecutorService writers = Executors.newFixedThreadPool(CONNECTIONS);
    private Database database;
    private JpaNodeStore nodes;

    @BeforeEach
    void useAllConnections() {
        database = Database.open(new DatabaseSettings(
                "jdbc:h2:file:" + directory.resolve("db"), "sa", "", CONNECTIONS, CONNECT_TIMEOUT, 0));
        nodes = new JpaNodeStore(database);
        nodes.acquireLease(NODE, NODE.leaseOwner(1), LEASE);
        CountDownLatch writing = new CountDownLatch(CONNECTIONS);
        for (int i = 0; i < CONNECTIONS; i++) {
            writers.execute(() -> database.write(session -> {
                writing.countDown();
                return await(mayEnd);
            }));
        }
        assertThat(await(writing)).isTrue();
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void close() throws InterruptedException {
        mayEnd.countDown();
        writers.shutdown();
        assertThat(writers.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        database.close();
    }

    /** Runs work on a thread of its own, because a thread keeps its connection. */
    private static <T> CompletableFuture<T> onReservedThread(Supplier<T> work) {
        return CompletableFuture.supplyAsync(
                () -> {
                    Database.reserveConnection();
                    return work.get();
                },
                task -> new Thread(task).start());
    }

    @Test
    void leaseIsRenewedWhileAllConnectionsAreUsed() {
        assertThat(onReservedThread(() -> nodes.renewLease(NODE, 1, LEASE)))
                .succeedsWithin(Duration.ofSeconds(60))
                .isEqualTo(LeaseRenewal.RENEWED);
    }

    @Test
    void eachReservedThreadHasAConnection() {
        CountDownLatch connected = new CountDownLatch(Database.RESERVED_CONNECTIONS);
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < Database.RESERVED_CONNECTIONS; i++) {
            all.add(onReservedThread(() -> database.write(session -> {
                connected.countDown();
                return await(connected);
            })));
        }
        assertThat(all)
                .allSatisfy(one ->
                        assertThat(one).succeedsWithin(Duration.ofSeconds(60)).isEqualTo(true));
    }

    @Test
    void otherWorkFailsAsNotStored() {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> nodes.renewLease(NODE, 1, LEASE))
                .satisfies(failure -> assertThat(failure.maybeStored()).isFalse());
    }

    @Test
    void workInsideOtherWorkNeedsNoFurtherConnection() throws Exception {
        mayEnd.countDown();
        int depth = CONNECTIONS + 1;
        assertThat(CompletableFuture.supplyAsync(() -> readNested(depth)).get(60, TimeUnit.SECONDS))
                .isEqualTo(depth);
    }

    private int readNested(int depth) {
        return depth == 0 ? 0 : database.read(session -> 1 + readNested(depth - 1));
    }
}
