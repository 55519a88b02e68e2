package org.sallyport.bench.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads from {@code /proc} the resources that a process and its descendants use. Thread-safe. */
public final class ProcessUsageReader {
    /** Linux reports CPU times to programs in hundredths of a second, independent of the clock of the kernel. */
    private static final double MILLIS_PER_TICK = 10;

    private static final String WORKER_MAIN = "org.sallyport.sandbox.worker.WorkerMain";
    private static final int UTIME = 11;
    private static final int LAST_TIME = UTIME + 3;
    private static final long KIB = 1024;

    private final Path proc;

    public ProcessUsageReader() {
        this(Path.of("/proc"));
    }

    ProcessUsageReader(Path proc) {
        this.proc = proc;
    }

    /** Returns the usage; empty if the root process has ended or if there is no {@code /proc}. */
    public Optional<ServiceResourceUsage> usage(ProcessHandle root) {
        List<Long> below = root.descendants().map(ProcessHandle::pid).toList();
        return usage(root.pid(), below);
    }

    Optional<ServiceResourceUsage> usage(long root, List<Long> below) {
        if (!Files.isReadable(proc.resolve(root + "/stat"))) {
            return Optional.empty();
        }
        List<Long> workers = below.stream().filter(this::isWorker).toList();
        double ticks = Stream.concat(Stream.of(root), below.stream())
                .mapToLong(this::ticks)
                .sum();
        LongSummaryStatistics bytes =
                workers.stream().mapToLong(this::residentBytes).summaryStatistics();
        long threads = threads(root) + workers.stream().mapToLong(this::threads).sum();
        return Optional.of(new ServiceResourceUsage(
                ticks * MILLIS_PER_TICK,
                residentBytes(root),
                workers.size(),
                Math.max(0, bytes.getMax()),
                bytes.getSum(),
                threads));
    }

    /** Returns the workers that are descendants of a process now. */
    public List<WorkerProcessHandle> workers(ProcessHandle root) {
        return root.descendants()
                .map(ProcessHandle::pid)
                .filter(this::isWorker)
                .map(pid -> new WorkerProcessHandle(pid, ticks(pid) * MILLIS_PER_TICK))
                .toList();
    }

    /** Returns the CPU time in user and kernel mode, of the process and of its children that have ended. */
    private long ticks(long pid) {
        String stat = readProcFile(pid, "stat");
        // The format is "pid (name) state …"; the name may contain spaces and parentheses.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
        long sum = 0;
        for (int i = UTIME; i <= LAST_TIME && i < fields.length; i++) {
            sum += Long.parseLong(fields[i]);
        }
        return sum;
    }

    private long residentBytes(long pid) {
        return statusValue(pid, "VmRSS:") * KIB;
    }

    private long threads(long pid) {
        return statusValue(pid, "Threads:");
    }

    private long statusValue(long pid, String name) {
        return readProcFile(pid, "status")
                .lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
    }

    /**
     * Returns whether the process is the Java VM of a worker. A process that isolates a worker has the same words in
     * its command line but is not {@code java}, and a process that creates a class archive is not a worker.
     */
    private boolean isWorker(long pid) {
        String[] command = readProcFile(pid, "cmdline").split("\0");
        return command[0].endsWith("java")
                && Stream.of(command).anyMatch(WORKER_MAIN::equals)
                && Stream.of(command).noneMatch(word -> word.startsWith("-XX:ArchiveClassesAtExit"));
    }

    /** Returns the content of a file of the process; empty if the process has ended. */
    private String readProcFile(long pid, String file) {
        try {
            return Files.readString(proc.resolve(Long.toString(pid)).resolve(file));
        } catch (IOException e) {
            return "";
        }
    }
}
