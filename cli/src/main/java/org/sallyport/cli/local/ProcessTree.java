package org.sallyport.cli.local;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A process and all processes that it started, including orphans of its session. Workers have sessions of their own:
 * their processes are found only while the server runs, and end with it. Terminates the processes gracefully first and
 * then forcibly. Not thread-safe.
 */
final class ProcessTree {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    private final long pid;
    private final Optional<ProcessHandle> root;
    private final Map<Long, ProcessHandle> knownProcesses = new LinkedHashMap<>();

    /**
     * @param pid id of the root, which leads its own session
     * @param root the root if it is alive; without it only the rest of its session is covered
     */
    ProcessTree(long pid, Optional<ProcessHandle> root) {
        this.pid = pid;
        this.root = root;
        refresh();
    }

    /** Returns the number of live processes below the root. */
    long countDescendants() {
        refresh();
        return knownProcesses.values().stream()
                .filter(process -> process.pid() != pid && process.isAlive())
                .count();
    }

    /**
     * Ends all processes. Children that outlive the root get a short time of their own.
     *
     * @return whether the root had to be killed
     * @throws IOException if a process survives
     */
    boolean terminate(Duration grace) throws IOException {
        root.ifPresent(ProcessHandle::destroy);
        boolean obeyed = root.isEmpty() || awaitExit(List.of(root.get()), grace);
        if (!obeyed) {
            root.ifPresent(ProcessHandle::destroyForcibly);
        }
        awaitExit(List.copyOf(knownProcesses.values()), Duration.ofSeconds(2));
        refresh();
        knownProcesses.values().forEach(ProcessHandle::destroyForcibly);
        if (!awaitExit(List.copyOf(knownProcesses.values()), Duration.ofSeconds(5))) {
            throw new IOException("these processes could not be ended: " + livingPids());
        }
        return !obeyed;
    }

    private List<Long> livingPids() {
        return knownProcesses.values().stream()
                .filter(ProcessHandle::isAlive)
                .map(ProcessHandle::pid)
                .toList();
    }

    /** Children are collected repeatedly, because they cannot be found after their parent has ended. */
    private boolean awaitExit(List<ProcessHandle> processes, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (processes.stream().anyMatch(ProcessHandle::isAlive)) {
            if (System.nanoTime() > end || !pause()) {
                return false;
            }
            refresh();
        }
        return true;
    }

    private void refresh() {
        root.ifPresent(process -> {
            knownProcesses.put(pid, process);
            process.descendants().forEach(child -> knownProcesses.put(child.pid(), child));
        });
        sessionMembers().forEach(child -> knownProcesses.putIfAbsent(child.pid(), child));
    }

    /**
     * Returns the processes of the root's session, where the system shows sessions (Linux). A process id is not reused
     * while it is the id of a session, so all of them were started by the root.
     */
    private List<ProcessHandle> sessionMembers() {
        if (root.isEmpty() && ProcessHandle.of(pid).isPresent()) {
            return List.of();
        }
        List<ProcessHandle> members = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path entry : entries) {
                if (sessionId(entry) == pid) {
                    ProcessHandle.of(Long.parseLong(entry.getFileName().toString()))
                            .ifPresent(members::add);
                }
            }
        } catch (IOException e) {
            return members;
        }
        return members;
    }

    private static long sessionId(Path entry) {
        try {
            String stat = Files.readString(entry.resolve("stat"));
            // "pid (name) state parent group session …", where the name may hold blanks and brackets.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 5);
            return Long.parseLong(fields[3]);
        } catch (IOException | IndexOutOfBoundsException | NumberFormatException e) {
            return -1;
        }
    }

    private static boolean pause() {
        try {
            Thread.sleep(POLL_INTERVAL.toMillis());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
