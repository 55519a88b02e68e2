package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Class files of workers that the build has prepared are used, unless the Java VM would not take their archive. */
class PrepareWorkersTest {
    @TempDir
    private Path temporary;

    @Test
    void theyAreUsedWhereTheyWereMadeAndAsTheyWereMade() throws IOException {
        Path prepared = temporary.resolve("prepared");
        PrepareWorkers.main(new String[] {prepared.toString()});

        WorkerFiles files = files(prepared);

        assertThat(files.directory()).hasParent(prepared);
        assertThat(files.archive()).isNotEmptyFile();
        assertThat(files.jars()).isNotEmpty().allSatisfy(jar -> assertThat(jar).isNotEmptyFile());
        assertThat(own()).doesNotExist();

        Path moved = Files.move(prepared, temporary.resolve("moved"));
        assertThat(files(moved).directory()).hasParent(own());
        Path back = Files.move(moved, prepared);
        assertThat(files(back).directory()).hasParent(prepared);

        Path jar = files.jars().get(0);
        Files.setLastModifiedTime(
                jar, FileTime.from(Files.getLastModifiedTime(jar).toInstant().plus(Duration.ofSeconds(1))));
        assertThat(files(prepared).directory()).hasParent(own());
    }

    @Test
    void withoutThemAServerLaysOutItsOwn() throws IOException {
        WorkerFiles files = files(temporary.resolve("nothing"));

        assertThat(files.directory()).hasParent(own());
        assertThat(files.archive()).doesNotExist();
    }

    private Path own() {
        return temporary.resolve("own");
    }

    private WorkerFiles files(Path prepared) throws IOException {
        WorkerSettings usual = WorkerSettings.defaults(own());
        return WorkerFiles.of(new WorkerSettings(
                usual.directory(),
                Optional.of(prepared),
                usual.heapMegabytes(),
                usual.carriers(),
                usual.warmWorkers(),
                usual.maxWorkers(),
                usual.sessionsPerWorker(),
                usual.recycleAfterSessions(),
                usual.recycleAfter(),
                usual.share(),
                usual.stopGrace(),
                usual.errors(),
                usual.network()));
    }
}
