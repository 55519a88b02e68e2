package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.execution.ExecutionId;

@Tag("slow")
class H2CrashTest {
    @TempDir
    private Path directory;

    @Test
    void acceptedExecutionSurvivesSigkill() throws Exception {
        Set<ExecutionId> accepted = new HashSet<>();
        for (int kill = 1; kill <= 2; kill++) {
            accepted.addAll(acceptedUntilKilled(300 * kill));
            try (Database database = Database.open(TestDatabase.h2(directory))) {
                JpaExecutionStore store = new JpaExecutionStore(database, Duration.ofHours(1));
                assertThat(accepted).allMatch(id -> store.find("tenant-a", id).isPresent());
                assertThat(accepted)
                        .allMatch(id -> store.findCode("tenant-a", id).isPresent());
            }
        }
    }

    private Set<ExecutionId> acceptedUntilKilled(int count) throws Exception {
        Process writer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CrashingWriter.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Set<ExecutionId> ids = new HashSet<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null) {
                ExecutionId.parse(line).ifPresent(ids::add);
                if (ids.size() == count) {
                    // Sends SIGKILL. The output that was printed before is still in the pipe.
                    writer.destroyForcibly();
                }
                line = readOrEnd(lines).orElse(null);
            }
        } finally {
            writer.destroyForcibly();
            assertThat(writer.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(ids).hasSizeGreaterThanOrEqualTo(count);
        return ids;
    }

    private static Optional<String> readOrEnd(BufferedReader lines) {
        try {
            return Optional.ofNullable(lines.readLine());
        } catch (java.io.IOException e) {
            // The pipe of a killed process may be closed under the reader.
            return Optional.empty();
        }
    }
}
