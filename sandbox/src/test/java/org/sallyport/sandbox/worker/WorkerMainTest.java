package org.sallyport.sandbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkerMainTest {
    @TempDir
    Path libraries;

    @Test
    void archiveWriterProcessEndsWithItsParentServer() throws Exception {
        Process trainer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        WorkerMain.class.getName(),
                        WorkerMain.TRAIN,
                        "1",
                        libraries.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            // The operating system closes this pipe when the server dies.
            trainer.getOutputStream().close();

            assertThat(trainer.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(trainer.exitValue()).isEqualTo(1);
        } finally {
            trainer.destroyForcibly();
        }
    }
}
