package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.backup.BackupWriter;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution;

class DatabaseBackupTest {
    private static final String TENANT = "tenant-a";
    private static final String ENTRY = "db.mv.db";
    private static final int WRITERS = 4;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** Longer than a text that H2 keeps in its row. */
    private static final String LONG_SCRIPT = "//" + "x".repeat(40_000);

    @TempDir
    Path directory;

    private Path newDirectory(String name) throws IOException {
        return Files.createDirectory(directory.resolve(name));
    }

    private static Path unpack(Path backup, Path target) throws IOException {
        try (ZipFile zip = new ZipFile(backup.toFile());
                InputStream content = zip.getInputStream(zip.getEntry(ENTRY))) {
            Files.copy(content, target.resolve(ENTRY));
        }
        return target;
    }

    private Path pack(String name, String entry, String content) throws IOException {
        Path file = directory.resolve(name);
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            zip.putNextEntry(new ZipEntry(entry));
            zip.write(content.getBytes(StandardCharsets.UTF_8));
            zip.closeEntry();
        }
        return file;
    }

    @Test
    void backupUnderLoadHasEverythingThatWasAcceptedBefore() throws Exception {
        Path backup = directory.resolve("backup.zip");
        Set<ExecutionId> before;
        try (Database database = Database.open(TestDatabase.h2(newDirectory("service")))) {
            before = backUpUnderLoad(database, backup);
        }

        try (Database restored = Database.open(TestDatabase.h2(unpack(backup, newDirectory("restored"))))) {
            JpaExecutionStore store = new JpaExecutionStore(restored, Duration.ofHours(1));
            assertThat(before).hasSizeGreaterThanOrEqualTo(200).allSatisfy(id -> {
                assertThat(store.find(TENANT, id)).isPresent();
                assertThat(store.findCode(TENANT, id)).contains(LONG_SCRIPT);
            });
        }
    }

    /** Returns the executions that were accepted before the backup began. */
    private static Set<ExecutionId> backUpUnderLoad(Database database, Path backup) throws Exception {
        JpaExecutionStore store = new JpaExecutionStore(database, Duration.ofHours(1));
        Set<ExecutionId> accepted = ConcurrentHashMap.newKeySet();
        AtomicBoolean open = new AtomicBoolean(true);
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            for (int i = 0; i < WRITERS; i++) {
                writers.execute(() -> insertWhile(open, store, accepted));
            }
            ConcurrencyTestUtil.awaitCondition(LIMIT, () -> accepted.size() >= 200);
            Set<ExecutionId> before = Set.copyOf(accepted);
            database.backupWriter().orElseThrow().write(backup);
            int during = accepted.size();
            ConcurrencyTestUtil.awaitCondition(LIMIT, () -> accepted.size() > during);
            return before;
        } finally {
            open.set(false);
            writers.shutdown();
            assertThat(writers.awaitTermination(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    private static void insertWhile(AtomicBoolean open, JpaExecutionStore store, Set<ExecutionId> accepted) {
        while (open.get()) {
            NewExecution execution = anExecution().code(LONG_SCRIPT).build();
            store.insert(execution);
            accepted.add(execution.id());
        }
    }

    @Test
    void onlyTheOwnerMayReadTheCopies() throws Exception {
        Path backup = Files.createFile(
                directory.resolve("backup.zip"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try (Database database = Database.open(TestDatabase.h2(newDirectory("service")))) {
            database.backupWriter().orElseThrow().write(backup);
        }

        assertThat(permissions(backup)).isEqualTo("rw-------");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.filter(file -> file.toString().contains("backup.zip.check"))
                            .map(DatabaseBackupTest::permissions))
                    .containsExactly("rwx------");
        }
    }

    private static String permissions(Path file) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void copyThatCannotBeReadIsNoBackup() throws Exception {
        try (Database database = Database.open(TestDatabase.h2(newDirectory("service")))) {
            DatabaseBackup backups = (DatabaseBackup) database.backupWriter().orElseThrow();
            Path whole = directory.resolve("whole.zip");
            backups.write(whole);
            Path garbage = pack("garbage.zip", ENTRY, "x".repeat(100_000));
            Path empty = pack("empty.zip", "readme.txt", "");

            assertThatCode(() -> backups.check(whole, newDirectory("whole"))).doesNotThrowAnyException();
            assertThatThrownBy(() -> backups.check(garbage, newDirectory("garbage")))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("the copy of the database cannot be read");
            assertThatThrownBy(() -> backups.check(empty, newDirectory("empty")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("has no file");
        }
    }

    @Test
    void databaseWithoutTablesIsNoBackup() throws Exception {
        Path service = newDirectory("service");
        DatabaseSettings settings = TestDatabase.h2(service);
        // H2 creates an empty database for a connection to a file that does not exist.
        DriverManager.getConnection(JdbcUrl.complete(settings.url()), "sa", "").close();
        BackupWriter backups = DatabaseBackup.of(settings).orElseThrow();

        assertThatThrownBy(() -> backups.write(directory.resolve("backup.zip")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has no tables");
    }

    @Test
    void backupLeavesTheReservedDiskSpace() throws Exception {
        DatabaseSettings settings = TestDatabase.h2(newDirectory("service"));
        DatabaseSettings reserving =
                new DatabaseSettings(settings.url(), settings.user(), settings.password(), 2, LIMIT, 1L << 60);
        Path file = directory.resolve("backup.zip");
        try (Database database = Database.open(reserving)) {
            BackupWriter backups = database.backupWriter().orElseThrow();

            assertThatThrownBy(() -> backups.write(file))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("bytes free, but a backup needs");
        }
        assertThat(file).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:h2:mem:x", "jdbc:h2:tcp://localhost/x", "jdbc:postgresql://localhost/x"})
    void databaseOutsideTheProcessOrTheDiskIsNotBackedUp(String url) {
        assertThat(DatabaseBackup.of(new DatabaseSettings(url, "sa", "", 2, LIMIT, 0)))
                .isEmpty();
    }
}
