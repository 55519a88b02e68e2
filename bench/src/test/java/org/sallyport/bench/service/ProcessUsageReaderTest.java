package org.sallyport.bench.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessUsageReaderTest {
    private static final String WORKER = "org.sallyport.sandbox.worker.WorkerMain";

    @TempDir
    Path proc;

    @Test
    void cpuTimeOfLiveAndEndedProcessesIsAdded() throws IOException {
        process(10, "100 20 3 4", 512_000, "java", "-jar", "payara-micro.jar");
        process(11, "7 0 0 0", 2_000, "unshare", "java", WORKER);
        process(12, "50 6 0 0", 90_000, "/jdk/bin/java", WORKER);

        ServiceResourceUsage usage =
                new ProcessUsageReader(proc).usage(10, List.of(11L, 12L)).orElseThrow();

        assertThat(usage.cpuMillis()).isEqualTo(1_900);
        assertThat(usage.serverBytes()).isEqualTo(512_000L * 1024);
    }

    @Test
    void onlyWorkerJvmsCountAsWorkers() throws IOException {
        process(10, "1 0 0 0", 1, "java");
        process(11, "1 0 0 0", 999_999, "unshare", "java", WORKER);
        process(12, "1 0 0 0", 90_000, "/jdk/bin/java", WORKER);
        process(13, "1 0 0 0", 80_000, "/jdk/bin/java", WORKER);
        process(14, "1 0 0 0", 999_999, "/jdk/bin/java", "-XX:ArchiveClassesAtExit=a.jsa", WORKER);

        ServiceResourceUsage usage = new ProcessUsageReader(proc)
                .usage(10, List.of(11L, 12L, 13L, 14L))
                .orElseThrow();

        assertThat(usage.workers()).isEqualTo(2);
        assertThat(usage.largestWorkerBytes()).isEqualTo(90_000L * 1024);
        assertThat(usage.allWorkersBytes()).isEqualTo(170_000L * 1024);
        assertThat(usage.threads()).as("of the server and two workers").isEqualTo(150);
    }

    @Test
    void endedProcessCountsAsZero() throws IOException {
        process(10, "1 0 0 0", 1, "java");

        ServiceResourceUsage usage =
                new ProcessUsageReader(proc).usage(10, List.of(99L)).orElseThrow();

        assertThat(usage.cpuMillis()).isEqualTo(10);
        assertThat(usage.workers()).isZero();
    }

    @Test
    void missingRootProcessGivesNoUsage() {
        assertThat(new ProcessUsageReader(proc).usage(10, List.of())).isEmpty();
    }

    /** Writes files as Linux does. The process name contains characters that mislead a parser that splits at spaces. */
    private void process(long pid, String times, long rssKiB, String... command) throws IOException {
        Path directory = Files.createDirectory(proc.resolve(Long.toString(pid)));
        Files.writeString(
                directory.resolve("stat"),
                pid + " (a) S 7 (x) S 1 1 1 0 -1 4194560 100 0 0 0 " + times + " 20 0 50 0 12345 999 888\n");
        Files.writeString(directory.resolve("status"), "Name:\tjava\nVmRSS:\t  " + rssKiB + " kB\nThreads:\t50\n");
        Files.writeString(directory.resolve("cmdline"), String.join("\0", command) + "\0");
    }
}
