package org.sallyport.it.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.sallyport.it.harness.ProcessInspector;
import org.sallyport.it.harness.SallyportServer;

/**
 * Memory that a service uses.
 *
 * @param heapKilobytes used heap of the server after a garbage collection
 * @param serverKilobytes resident memory of the server
 * @param workersKilobytes resident memory of each worker
 */
record ResourceUsage(long heapKilobytes, long serverKilobytes, List<Long> workersKilobytes) {
    private static final Pattern USED = Pattern.compile("(?:generation|heap)\\s.*?used (\\d+)K");
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    private static final int USER_TIME = 11;
    private static final Duration SAMPLE_TIME = Duration.ofMillis(500);
    /** A worker counts as busy above this number of ticks in one sample; a second has 100 ticks. */
    private static final long BUSY_TICKS = 20;

    static ResourceUsage of(SallyportServer server) {
        ProcessInspector.jcmd(server.pid(), "GC.run");
        Matcher used = USED.matcher(ProcessInspector.jcmd(server.pid(), "GC.heap_info"));
        long heap = 0;
        while (used.find()) {
            heap += Long.parseLong(used.group(1));
        }
        return new ResourceUsage(
                heap,
                residentKilobytes(server.pid()),
                server.workers().stream()
                        .map(worker -> residentKilobytes(worker.pid()))
                        .toList());
    }

    /** Number of workers that compute now. Takes half a second. */
    static long countBusyWorkers(SallyportServer server) {
        Map<Long, Long> before = server.workers().stream()
                .map(ProcessHandle::pid)
                .collect(Collectors.toMap(pid -> pid, ResourceUsage::cpuTicks));
        try {
            Thread.sleep(SAMPLE_TIME.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return before.entrySet().stream()
                .filter(entry -> cpuTicks(entry.getKey()) - entry.getValue() > BUSY_TICKS)
                .count();
    }

    @Override
    public String toString() {
        return "server heap %d MB, server %d MB, workers %s MB"
                .formatted(
                        heapKilobytes >> 10,
                        serverKilobytes >> 10,
                        workersKilobytes.stream().map(size -> size >> 10).toList());
    }

    /** A system property of the running server; empty if it is not set. */
    static String systemProperty(SallyportServer server, String name) {
        return ProcessInspector.jcmd(server.pid(), "VM.system_properties")
                .lines()
                .filter(line -> line.startsWith(name + "="))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElse("");
    }

    private static long residentKilobytes(long pid) {
        Matcher resident = RESIDENT.matcher(read(pid, "status"));
        return resident.find() ? Long.parseLong(resident.group(1)) : 0;
    }

    private static long cpuTicks(long pid) {
        String stat = read(pid, "stat");
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
        return fields.length > USER_TIME ? Long.parseLong(fields[USER_TIME]) : 0;
    }

    /** Returns an empty text if the process is gone. */
    private static String read(long pid, String name) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/" + name));
        } catch (IOException e) {
            return "";
        }
    }
}
