package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the pool uses the worker class files that the build has prepared, unless they are incomplete or the Java
 * VM rejects their archive.
 */
@Tag("slow")
class PrepareWorkersTest {
    @TempDir
    private static Path temporary;

    private static Path prepared;
    private static Path earlierBuild;

    @TempDir
    private Path own;

    @BeforeAll
    static void prepare() throws IOException {
        prepared = temporary.resolve("prepared");
        earlierBuild = Files.createDirectories(prepared.resolve("0123456789abcdef"));
        Files.setLastModifiedTime(earlierBuild, FileTime.from(Instant.now().minus(Duration.ofDays(30))));
        PrepareWorkers.main(new String[] {prepared.toString()});
    }

    @Test
    void preparedFilesAreUsedOnlyIfNotMovedOrChanged() throws IOException {
        WorkerFiles files = files(prepared);

        assertThat(files.directory()).hasParent(prepared);
        assertThat(files.archive()).isNotEmptyFile();
        assertThat(files.jars()).isNotEmpty().allSatisfy(jar -> assertThat(jar).isNotEmptyFile());
        assertThat(own).isEmptyDirectory();

        Path moved = Files.move(prepared, temporary.resolve("moved"));
        assertThat(files(moved).directory()).hasParent(own);
        Files.move(moved, prepared);
        assertThat(files(prepared).directory()).hasParent(prepared);

        Path jar = files.jars().get(0);
        FileTime written = Files.getLastModifiedTime(jar);
        Files.setLastModifiedTime(jar, FileTime.from(written.toInstant().plusSeconds(1)));
        assertThat(files(prepared).directory()).hasParent(own);
        Files.setLastModifiedTime(jar, written);
        assertThat(files(prepared).directory()).hasParent(prepared);
    }

    @Test
    void incompleteFilesAreNotUsed() throws IOException {
        WorkerFiles complete = files(prepared);
        for (Path missing : new Path[] {
            complete.archive(),
            complete.jars().get(0),
            complete.jars().get(1),
            complete.directory().resolve("sealed")
        }) {
            Path aside = Files.move(missing, temporary.resolve("aside"));
            assertThat(files(prepared).directory()).as("without " + missing).hasParent(own);
            Files.move(aside, missing);
            assertThat(files(prepared).directory()).as("with " + missing).hasParent(prepared);
        }
    }

    @Test
    void serverCreatesItsOwnFilesWithoutPreparedOnes() throws IOException {
        WorkerFiles files = files(temporary.resolve("nothing"));

        assertThat(files.directory()).hasParent(own);
        assertThat(files.archive()).doesNotExist();
        assertThat(WorkerFiles.of(Optional.empty(), own)).isEqualTo(files);
    }

    @Test
    void filesOfAnEarlierBuildAreKept() {
        assertThat(earlierBuild).isDirectory();
    }

    private WorkerFiles files(Path directory) throws IOException {
        return WorkerFiles.of(Optional.of(directory), own);
    }
}
