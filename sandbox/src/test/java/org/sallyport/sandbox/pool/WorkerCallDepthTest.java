package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.sandbox.guest.EndlessCallProbe;

/**
 * The limit of the call depth in Java VMs with the flags of a worker: scripts reach it at the same depth, and before
 * the stack ends.
 */
class WorkerCallDepthTest {
    @TempDir
    private Path directory;

    /** The frames of code that is not compiled are the largest. */
    @Tag("slow")
    @Test
    void limitIsReachedBeforeTheStackEndsWhileNothingIsCompiled() throws Exception {
        assertThat(endsInWorker(1, "-Xint")).isEqualTo(EndlessCallProbe.ends(1));
    }

    @Test
    void limitIsReachedAtTheSameDepthInAWorker() throws Exception {
        assertSameDepthInAWorker(4);
    }

    @Tag("slow")
    @Test
    void limitIsReachedAtTheSameDepthInAWorkerByEveryKindOfCall() throws Exception {
        assertSameDepthInAWorker(1);
    }

    private void assertSameDepthInAWorker(int step) throws Exception {
        List<String> ends = endsInWorker(step);
        assertThat(ends)
                .hasSizeGreaterThan(40 / step)
                .allMatch(line -> line.contains(": \"RangeError after "))
                .noneMatch(line -> line.contains(EndlessCallProbe.STACK_OVERFLOW));
        assertThat(ends).isEqualTo(EndlessCallProbe.ends(step));
    }

    private List<String> endsInWorker(int step, String... flags) throws Exception {
        List<Path> classPath = Arrays.stream(
                        System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .toList();
        JavaCommand worker = new JavaCommand(WorkerSettings.defaults(directory), new WorkerFiles(directory, classPath));
        List<String> command = worker.workerCommand(directory, EndlessCallProbe.class, Integer.toString(step));
        command.addAll(1, List.of(flags));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            return output.lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }
}
