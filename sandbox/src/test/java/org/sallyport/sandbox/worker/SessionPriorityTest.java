package org.sallyport.sandbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionPriorityTest {
    @TempDir
    Path proc;

    @BeforeEach
    void writeFiles() throws IOException {
        Files.writeString(
                proc.resolve("stat"),
                "4711 (a) name) S 2 4711 4711 0 -1 4194304 906 0 0 0 5 2 0 0 30 10 22 0 2617 5 6 7 8\n");
        Files.writeString(proc.resolve("autogroup"), "/autogroup-12 nice 0\n");
    }

    @Test
    void sessionOfItsLeaderGetsTheNicenessOfTheProcess() {
        SessionPriority.lower(proc, 4711);
        assertThat(proc.resolve("autogroup")).hasContent("10");
    }

    @Test
    void sessionOfAnotherProcessIsNotChanged() {
        SessionPriority.lower(proc, 17);
        assertThat(proc.resolve("autogroup")).hasContent("/autogroup-12 nice 0");
    }

    @Test
    void systemWithoutTheseFilesIsLeftAlone() throws IOException {
        Files.delete(proc.resolve("autogroup"));
        SessionPriority.lower(proc, 4711);
        assertThat(proc.resolve("autogroup")).doesNotExist();
        Files.delete(proc.resolve("stat"));
        SessionPriority.lower(proc, 4711);
        assertThat(proc).isEmptyDirectory();
    }
}
