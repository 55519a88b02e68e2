package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.Role;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.InsertResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.JournalBatch;
import org.sallyport.testsupport.TimingAssertions;

class DatabaseDownTest {
    /**
     * The settings account for one second; the rest allows for a machine that is busy with the other calls and other
     * work.
     */
    private static final Duration MAX_CALL_DURATION = Duration.ofSeconds(10);

    private static final String TENANT = "tenant-a";

    /** One directory for all tests: only the first start has to initialize a database cluster. */
    @TempDir
    private static Path directory;

    @Test
    void callsFailFastDuringAnOutageAndRecover() throws Exception {
        int port = freePort();
        EmbeddedPostgres server = start(port);
        try (Database database = Database.open(TestDatabase.postgreSql(port))) {
            ExecutionStore store = new JpaExecutionStore(database, Duration.ofHours(1));
            NewExecution before = anExecution().build();
            store.insert(before);
            server.close();
            assertAllUnavailable(database, before.id());
            assertAllUnavailable(database, before.id());
            server = start(port);
            ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> isAvailable(store));
            assertThat(store.find(TENANT, before.id())).isPresent();
            NewExecution after = anExecution().build();
            assertThat(store.insert(after)).isEqualTo(new InsertResult.ExecutionInserted(after.id()));
        } finally {
            server.close();
        }
    }

    @Tag("slow")
    @Test
    void hangingServerCountsAsUnavailable() throws Exception {
        int port = freePort();
        try (EmbeddedPostgres server = start(port);
                Database database = Database.open(TestDatabase.postgreSql(port))) {
            ExecutionStore store = new JpaExecutionStore(database, Duration.ofHours(1));
            NewExecution before = anExecution().build();
            store.insert(before);
            Set<Long> processes = suspendServer();
            try {
                assertAllUnavailable(database, before.id());
                assertAllUnavailable(database, before.id());
            } finally {
                signal("CONT", processes);
            }
            ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> isAvailable(store));
            assertThat(store.find(TENANT, before.id())).isPresent();
            assertThat(server.getPort()).isEqualTo(port);
        }
    }

    /** An H2 database closes itself in this way when its disk is full. */
    @Test
    void databaseThatClosedItselfIsReopenedUnderLoad() throws Exception {
        try (TestDatabase h2 = TestDatabase.h2()) {
            ExecutionStore store = new JpaExecutionStore(h2.database(), Duration.ofHours(1));
            NewExecution before = anExecution().build();
            store.insert(before);
            assertThatThrownBy(() -> h2.database()
                            .write(session -> session.createNativeQuery("shutdown immediately")
                                    .executeUpdate()))
                    .isInstanceOf(RuntimeException.class);

            ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> isAvailable(store));

            assertThat(store.find(TENANT, before.id())).isPresent();
        }
    }

    @Test
    void openGivesUpWithAClearMessage() throws Exception {
        DatabaseSettings nowhere = new DatabaseSettings(
                "jdbc:postgresql://localhost:" + freePort() + "/x?password=secret",
                "u",
                "secret",
                2,
                Duration.ofMillis(250),
                0);
        long start = System.nanoTime();
        assertThatThrownBy(() -> Database.open(nowhere))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("jdbc:postgresql://localhost:")
                .hasMessageNotContaining("secret");
        TimingAssertions.assertAtMostSince(start, Duration.ofSeconds(20));
    }

    /** Makes all calls concurrently, so that some find a connection that looks alive and others wait for one. */
    private static void assertAllUnavailable(Database database, ExecutionId id) throws Exception {
        List<Runnable> calls = storeCalls(database, id).toList();
        ConcurrencyTestUtil.runConcurrently(calls.size(), n -> {
            assertUnavailable(calls.get(n));
            return n;
        });
    }

    private static Stream<Runnable> storeCalls(Database database, ExecutionId id) {
        ExecutionStore store = new JpaExecutionStore(database, Duration.ofHours(1));
        JpaJournal journal = new JpaJournal(database);
        JpaApiKeyStore keys = new JpaApiKeyStore(database);
        JpaDemoStore demo = new JpaDemoStore(database);
        FencingToken fence = new FencingToken(id, 1);
        return Stream.of(
                () -> store.insert(anExecution().build()),
                () -> store.find(TENANT, id),
                () -> keys.find("k"),
                () -> journal.finish(fence, new ExecutionOutcome.ExecutionCancelled(), JournalBatch.NONE),
                store::ping,
                () -> store.insert(anExecution().idempotency("k", "h").build()),
                () -> store.findCode(TENANT, id),
                () -> store.list(TENANT, new ExecutionFilter(Set.of()), Optional.empty(), 10),
                () -> store.readOutput(id, OutputKind.OUT, 0, 10),
                () -> store.queuePosition(TENANT, id),
                () -> store.claim(id, "node.1"),
                () -> store.cancel(TENANT, id),
                () -> store.overdueJobs(Duration.ZERO, 10),
                () -> store.findOwnedRuns("n.1.1"),
                () -> store.findOrphans("n.1.1", 10),
                () -> store.findCancelRequests("n.1"),
                () -> journal.append(fence, JournalBatch.NONE),
                () -> journal.readTrace(id, 0, 10),
                () -> keys.put(new ApiKey("k", TENANT, "n", "h", Set.of(Role.ADMIN), Optional.empty())),
                () -> keys.remove(TENANT, "k"),
                () -> keys.list(TENANT),
                () -> demo.increment(TENANT, "c", 1, "x/1"),
                () -> demo.count(TENANT, "c"));
    }

    private static void assertUnavailable(Runnable call) {
        long start = System.nanoTime();
        assertThatThrownBy(call::run).isInstanceOf(StoreUnavailableException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(MAX_CALL_DURATION);
    }

    private static boolean isAvailable(ExecutionStore store) {
        try {
            store.ping();
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static EmbeddedPostgres start(int port) {
        try {
            return EmbeddedPostgres.builder()
                    .setPort(port)
                    .setDataDirectory(directory.resolve("data"))
                    .setCleanDataDirectory(false)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /**
     * Suspends the server's processes. Suspends the postmaster, which the data directory names, first, so that it
     * starts no further processes.
     */
    private static Set<Long> suspendServer() throws Exception {
        List<String> lines = Files.readAllLines(directory.resolve("data/postmaster.pid"));
        ProcessHandle postmaster =
                ProcessHandle.of(Long.parseLong(lines.get(0).trim())).orElseThrow();
        signal("STOP", Set.of(postmaster.pid()));
        Set<Long> processes = Stream.concat(Stream.of(postmaster), postmaster.descendants())
                .map(ProcessHandle::pid)
                .collect(Collectors.toSet());
        signal("STOP", processes);
        return processes;
    }

    private static void signal(String name, Set<Long> processes) throws Exception {
        for (long pid : processes) {
            new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
        }
    }
}
