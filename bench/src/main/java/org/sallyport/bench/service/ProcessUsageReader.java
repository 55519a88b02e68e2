package org.sallyport.bench.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads from {@code /proc} what a process and all that it started use. */
public final class ProcessUsageReader {
    /** Linux counts in hundredths of a second for programs, whatever its own clock does. */
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

    /** Nothing where the root is gone or there is no {@code /proc}. */
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

    /** The workers below a process that are there now. */
    public List<WorkerProcessHandle> workers(ProcessHandle root) {
        return root.descendants()
                .map(ProcessHandle::pid)
                .filter(this::isWorker)
                .map(pid -> new WorkerProcessHandle(pid, ticks(pid) * MILLIS_PER_TICK))
                .toList();
    }

    /** Computing time in user and kernel mode, its own and that of children that have ended. */
    private long ticks(long pid) {
        String stat = readProcFile(pid, "stat");
        // "pid (name) state …", where the name may hold blanks and brackets.
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

    /** The Java VM itself: what isolates one has the same words in its command line. */
    private boolean isWorker(long pid) {
        String[] command = readProcFile(pid, "cmdline").split("\0");
        return command[0].endsWith("java")
                && Stream.of(command).anyMatch(WORKER_MAIN::equals)
                && Stream.of(command).noneMatch(word -> word.startsWith("-XX:ArchiveClassesAtExit"));
    }

    /** Empty when the process has ended meanwhile. */
    private String readProcFile(long pid, String file) {
        try {
            return Files.readString(proc.resolve(Long.toString(pid)).resolve(file));
        } catch (IOException e) {
            return "";
        }
    }
}
