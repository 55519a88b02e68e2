package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.cli.api.ApiJson;

/** Restores backups into a data directory without a service. */
class RestoreCommandTest {
    private static final String DATABASE = "H:2,block:1 of the backup";

    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;
    private Path data;

    @BeforeEach
    void start() throws IOException {
        service = new FakeService();
        sallyport = new CommandLineFixture(directory, service);
        data = Files.createDirectories(directory.resolve("data"));
    }

    @AfterEach
    void stop() {
        service.close();
    }

    /** Writes a zip file with one entry. */
    static Path writeBackup(Path file, String entry, String content) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            zip.putNextEntry(new ZipEntry(entry));
            zip.write(content.getBytes(StandardCharsets.UTF_8));
            zip.closeEntry();
        }
        return file;
    }

    private void writeBackup() throws IOException {
        writeBackup(directory.resolve("a.zip"), "sallyport.mv.db", DATABASE);
    }

    private List<Path> files(String start) throws IOException {
        try (Stream<Path> files = Files.list(data)) {
            return files.filter(file -> String.valueOf(file.getFileName()).startsWith(start))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void backupReplacesTheDatabaseAndKeepsTheFilesBefore() throws IOException {
        writeBackup();
        Files.writeString(data.resolve("sallyport.mv.db"), "before");
        Files.createDirectories(data.resolve("broker/journal"));
        Files.writeString(data.resolve("broker/journal/1"), "a message");

        assertThat(sallyport.run("restore", "a.zip")).as(sallyport.err()).isZero();

        assertThat(data.resolve("sallyport.mv.db")).hasContent(DATABASE);
        assertThat(files("sallyport.mv.db")).hasSize(2);
        assertThat(files("sallyport.mv.db.replaced-").get(0)).hasContent("before");
        assertThat(data.resolve("broker")).doesNotExist();
        assertThat(files("broker.replaced-").get(0).resolve("journal/1")).hasContent("a message");
        assertThat(sallyport.err())
                .contains("Restored ", "a.zip", "sallyport.mv.db.replaced-", "broker.replaced-", "secrets.key");
    }

    @Test
    void backupIsRestoredIntoANewDataDirectory() throws Exception {
        writeBackup();
        sallyport.variables.put("SALLYPORT_DATA", directory.resolve("new/data").toString());

        assertThat(sallyport.run("restore", "a.zip", "--json"))
                .as(sallyport.err())
                .isZero();

        Path database = directory.resolve("new/data/sallyport.mv.db");
        assertThat(database).hasContent(DATABASE);
        assertThat(ApiJson.parse(sallyport.out()).path("database").asText()).isEqualTo(database.toString());
        assertThat(ApiJson.parse(sallyport.out()).has("replacedDatabase")).isFalse();
    }

    @Test
    void brokerJournalOfTheSettingIsReplaced() throws IOException {
        writeBackup();
        Path broker = Files.createDirectories(directory.resolve("elsewhere"));
        Files.writeString(broker.resolve("1"), "a message");
        sallyport.variables.put("SALLYPORT_BROKER_DATA", broker.toString());

        assertThat(sallyport.run("restore", "a.zip")).as(sallyport.err()).isZero();

        assertThat(broker).doesNotExist();
    }

    @Test
    void emptyBrokerDirectoryStays() throws IOException {
        writeBackup();
        // The root of a file system cannot be renamed.
        Path broker = Files.createDirectories(data.resolve("broker"));

        assertThat(sallyport.run("restore", "a.zip")).as(sallyport.err()).isZero();

        assertThat(broker).isEmptyDirectory();
        assertThat(files("broker.replaced-")).isEmpty();
    }

    @Test
    void brokerJournalThatCannotBeRenamedIsNamed() throws IOException {
        writeBackup();
        Files.writeString(data.resolve("sallyport.mv.db"), "before");
        // There is no longer name.
        Path broker = Files.createDirectories(directory.resolve("b".repeat(250)));
        Files.writeString(broker.resolve("1"), "a message");
        sallyport.variables.put("SALLYPORT_BROKER_DATA", broker.toString());

        assertThat(sallyport.run("restore", "a.zip")).isEqualTo(ExitCode.FAILED.code());

        assertThat(sallyport.err())
                .contains("Nothing was restored: the journal of the broker cannot be renamed", "move the files in ");
        assertThat(data.resolve("sallyport.mv.db")).hasContent("before");
        assertThat(files("sallyport.mv.db")).hasSize(1);
    }

    @Test
    void failedReplacementChangesNothing() throws IOException {
        writeBackup();
        // A file cannot replace a directory.
        Files.createDirectories(data.resolve("sallyport.mv.db"));
        Path message = Files.createDirectories(data.resolve("broker/journal")).resolve("1");
        Files.writeString(message, "a message");

        assertThat(sallyport.run("restore", "a.zip")).isEqualTo(ExitCode.FAILED.code());

        assertThat(sallyport.err()).contains("Nothing was restored", "sallyport.mv.db cannot be replaced");
        assertThat(message).hasContent("a message");
        assertThat(files("broker")).hasSize(1);
        assertThat(files("sallyport.mv.db")).containsExactly(data.resolve("sallyport.mv.db"));
    }

    @Test
    void messagesSayWhatFailed() throws IOException {
        writeBackup();
        Path blocked = Files.createDirectories(data.resolve("sallyport.mv.db.restoring/full"));

        assertThat(sallyport.run("restore", "a.zip")).isEqualTo(ExitCode.FAILED.code());
        assertThat(sallyport.err())
                .contains("a.zip cannot be unpacked to " + blocked.getParent() + ": ", "Is a directory");

        Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("missing"));
        sallyport.variables.put("SALLYPORT_DATA", link.toString());

        assertThat(sallyport.run("restore", "a.zip")).isEqualTo(ExitCode.FAILED.code());
        assertThat(sallyport.err()).contains("the data directory " + link + " cannot be used", "the file exists");
    }

    @Test
    void unpackedFileOfAKilledRestoreIsOverwritten() throws IOException {
        writeBackup();
        Files.writeString(data.resolve("sallyport.mv.db.restoring"), "half of a longer database".repeat(10));

        assertThat(sallyport.run("restore", "a.zip")).as(sallyport.err()).isZero();

        assertThat(data.resolve("sallyport.mv.db")).hasContent(DATABASE);
        assertThat(files("sallyport.mv.db.restoring")).isEmpty();
    }

    @Test
    void fileThatIsNoBackupChangesNothing() throws IOException {
        Files.writeString(data.resolve("sallyport.mv.db"), "before");
        byte[] whole = Files.readAllBytes(
                writeBackup(directory.resolve("whole.zip"), "sallyport.mv.db", DATABASE + "x".repeat(10_000)));
        byte[] damaged = whole.clone();
        damaged["sallyport.mv.db".length() + 40] ^= 1;
        Files.write(directory.resolve("damaged.zip"), damaged);
        Files.write(directory.resolve("half.zip"), Arrays.copyOf(whole, whole.length / 2));
        writeBackup(directory.resolve("other.zip"), "readme.txt", "text");
        writeBackup(directory.resolve("text.zip"), "sallyport.mv.db", "text");

        for (Map.Entry<String, String> file : Map.of(
                        "damaged.zip", "is not a complete backup",
                        "half.zip", "is not a complete backup",
                        "other.zip", "has no database",
                        "text.zip", "has no database of H2",
                        "missing.zip", "there is no file")
                .entrySet()) {
            assertThat(sallyport.run("restore", file.getKey()))
                    .as(file.getKey())
                    .isEqualTo(ExitCode.USAGE.code());
            assertThat(sallyport.err()).contains(file.getKey(), file.getValue(), "Nothing was restored");
        }
        assertThat(data.resolve("sallyport.mv.db")).hasContent("before");
        assertThat(files("sallyport.mv.db")).hasSize(1);
    }

    @Test
    void usedDataDirectoryIsRefused() throws IOException {
        writeBackup();
        try (FileChannel lock =
                FileChannel.open(data.resolve("node.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            lock.lock();

            assertThat(sallyport.run("restore", "a.zip")).isEqualTo(ExitCode.FAILED.code());
        }
        assertThat(sallyport.err()).contains("another process uses the data directory");
        assertThat(files("sallyport.mv.db")).isEmpty();
    }

    @Test
    void databaseOfAnotherUrlIsRefused() throws IOException {
        writeBackup();
        for (Map.Entry<String, String> variable : Map.of(
                        "SALLYPORT_DB_URL", "jdbc:h2:file:/elsewhere/db",
                        "SALLYPORT_JAVA_OPTS", "-Dsallyport.db.url=jdbc:postgresql://localhost/db")
                .entrySet()) {
            sallyport.variables.put(variable.getKey(), variable.getValue());

            assertThat(sallyport.run("restore", "a.zip")).isEqualTo(ExitCode.USAGE.code());

            sallyport.variables.remove(variable.getKey());
        }
        assertThat(sallyport.err()).contains("sallyport.db.url is set");
        assertThat(files("sallyport.mv.db")).isEmpty();
    }
}
