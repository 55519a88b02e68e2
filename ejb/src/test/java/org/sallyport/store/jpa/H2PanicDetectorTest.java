package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStoreException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.memory.FatalErrorExit;

class H2PanicDetectorTest {
    private static final String CONTINUED = "the process continued";

    @TempDir
    private Path directory;

    private static Throwable withCause(Throwable failure, Throwable cause) {
        return failure.initCause(cause);
    }

    private static MVStoreException store(int code) {
        return new MVStoreException(code, "as the test says");
    }

    static Stream<Throwable> panics() {
        return Stream.of(
                new OutOfMemoryError(),
                new SQLException("Out of memory.", "90108", 90108),
                new IllegalStateException(new SQLException("General error", "HY000", new OutOfMemoryError())),
                new SQLException("General error", "HY000", store(DataUtils.ERROR_INTERNAL)),
                new SQLException(
                        "The database has been closed",
                        "90098",
                        withCause(store(DataUtils.ERROR_INTERNAL), new ExecutionException(new OutOfMemoryError()))));
    }

    @ParameterizedTest
    @MethodSource("panics")
    void failuresThatLeaveTheDatabaseInAnUnknownStateArePanics(Throwable failure) {
        assertThat(H2PanicDetector.isPanic(failure)).isTrue();
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new SQLException("The database has been closed", "90098"),
                new SQLException("Connection is broken", "90067"),
                new SQLException("Duplicate key", "23505"),
                new SQLException(
                        "IO exception",
                        "90028",
                        withCause(store(DataUtils.ERROR_WRITING_FAILED), new IOException("No space left on device"))),
                new SQLException(
                        "General error",
                        "HY000",
                        withCause(
                                store(DataUtils.ERROR_INTERNAL),
                                new ExecutionException(store(DataUtils.ERROR_WRITING_FAILED)))),
                new SQLException("File corrupted", "90030", store(DataUtils.ERROR_FILE_CORRUPT)),
                new StackOverflowError());
    }

    @ParameterizedTest
    @MethodSource("failures")
    void otherFailuresAreNoPanics(Throwable failure) {
        assertThat(H2PanicDetector.isPanic(failure)).isFalse();
    }

    /** Opens a database and lets an access to it fail as the second argument says. */
    static final class PanickingProcess {
        private PanickingProcess() {}

        public static void main(String[] arguments) {
            try (Database database = Database.open(TestDatabase.h2(Path.of(arguments[0])))) {
                try {
                    access(database, arguments[1]);
                } catch (RuntimeException | OutOfMemoryError e) {
                    System.out.println(CONTINUED);
                }
            }
        }

        private static void access(Database database, String how) {
            switch (how) {
                case "read" ->
                    database.read(session -> {
                        throw new IllegalStateException(new SQLException("Out of memory.", "90108", 90108));
                    });
                case "write" ->
                    database.write(session -> {
                        throw new OutOfMemoryError("Cannot reserve direct buffer memory");
                    });
                case "connection" ->
                    new ClosedH2Detector()
                            .adjudicate(new SQLException("General error", "HY000", store(DataUtils.ERROR_INTERNAL)));
                default ->
                    database.write(session -> {
                        throw new IllegalStateException(new SQLException("The database has been closed", "90098"));
                    });
            }
        }
    }

    private Process start(String how) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PanickingProcess.class.getName(),
                        directory.toString(),
                        how)
                .redirectErrorStream(true)
                .start();
    }

    private void assertEnd(String how, int exitCode, boolean continues) throws Exception {
        Process process = start(how);
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(output).isEqualTo(exitCode);
            assertThat(output.contains(CONTINUED)).as(output).isEqualTo(continues);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void processEndsAtAPanic() throws Exception {
        assertEnd("write", FatalErrorExit.EXIT_CODE, false);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"read", "connection"})
    void processEndsAtAPanicOfAnotherAccess(String access) throws Exception {
        assertEnd(access, FatalErrorExit.EXIT_CODE, false);
    }

    @Tag("slow")
    @Test
    void processContinuesAfterAnotherFailure() throws Exception {
        assertEnd("closed", 0, true);
    }
}
