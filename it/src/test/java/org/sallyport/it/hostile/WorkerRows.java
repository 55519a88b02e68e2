package org.sallyport.it.hostile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.sallyport.it.harness.Processes;
import org.sallyport.it.harness.Sockets;

/** Rows on what a worker process could do if a script had escaped into it, as the operating system shows the real ones. */
final class WorkerRows {
    private WorkerRows() {}

    static List<Row> all() {
        return List.of(
                Row.of(
                                "A29",
                                "what a worker has of the server",
                                Expected.outcome("contained"),
                                WorkerRows::surroundings)
                        .in(Mode.WORKER),
                Row.remarked("A30", "links planted in a worker's directory", "shown by `SiteTest.nothingCanBeWritten`"),
                Row.remarked(
                        "A31",
                        "malformed frames",
                        "shown by `FrameFuzzTest.decodingEndsInAFrameOrAProtocolException` · `HostileWorkerTest.whatIsNoFrameOfAHealthyWorkerEndsItsSessions` · `HostileWorkerTest.aLengthThatIsNotAllowedIsNotWaitedFor`"),
                Row.of("B49", "processes and threads of a worker", Expected.outcome("contained"), WorkerRows::limits)
                        .in(Mode.WORKER));
    }

    private static Sighting surroundings(Arena arena) {
        List<String> present = means(arena);
        List<String> faults = new ArrayList<>();
        for (ProcessHandle worker : arena.server().workers()) {
            faults.addAll(faults(worker, () -> surroundings(arena, present, worker.pid())));
        }
        return Sighting.of(faults.isEmpty() ? "contained" : faults.toString(), "");
    }

    private static List<String> surroundings(Arena arena, List<String> present, long pid) {
        long server = arena.server().pid();
        List<String> faults = new ArrayList<>();
        if (!Processes.environment(pid).isEmpty()) {
            faults.add("it has an environment");
        }
        if (!Sockets.listening(pid).isEmpty()) {
            faults.add("it listens on " + Sockets.listening(pid));
        }
        files(pid).stream()
                .filter(file -> file.startsWith(arena.server().data().toString())
                        && !file.contains("/workers/")
                        && !file.endsWith(".jar"))
                .forEach(file -> faults.add("it has " + file));
        faults.addAll(shared(present, "no-network", server, pid, "net"));
        faults.addAll(shared(present, "own-processes", server, pid, "pid"));
        faults.addAll(shared(present, "own-ipc", server, pid, "ipc"));
        if (present.contains("no-new-privileges") && !status(pid).contains("NoNewPrivs:\t1")) {
            faults.add("it may get privileges");
        }
        return faults;
    }

    /** None of a worker that has ended while it was looked at: rows before this one may have done that to it. */
    private static List<String> faults(ProcessHandle worker, Supplier<List<String>> look) {
        try {
            return look.get();
        } catch (UncheckedIOException | AssertionError gone) {
            if (worker.isAlive()) {
                throw gone;
            }
            return List.of();
        }
    }

    private static Sighting limits(Arena arena) {
        List<String> faults = new ArrayList<>();
        if (means(arena).contains("resource-limits")) {
            for (ProcessHandle worker : arena.server().workers()) {
                faults.addAll(faults(worker, () -> limits(worker.pid())));
                if (means(arena).contains("own-user")) {
                    faults.addAll(faults(worker, () -> user(arena.server().pid(), worker.pid())));
                }
            }
        }
        return Sighting.of(faults.isEmpty() ? "contained" : faults.toString(), "");
    }

    private static List<String> limits(long pid) {
        String limits = read(pid, "limits");
        return Stream.of("Max open files", "Max data size", "Max core file size")
                .filter(limit ->
                        limits.lines().anyMatch(line -> line.startsWith(limit + " ") && line.contains("unlimited")))
                .map(limit -> "no limit for " + limit)
                .toList();
    }

    /** The limit of processes holds for a user: it takes one of its own, and one that has nothing else. */
    private static List<String> user(long server, long worker) {
        List<String> faults = new ArrayList<>();
        String status = status(worker);
        if (line(status, "Uid").equals(line(status(server), "Uid"))) {
            faults.add("it is the server's user, " + line(status, "Uid"));
        }
        if (read(worker, "limits").lines().anyMatch(line -> line.matches("Max processes\\s+unlimited.*"))) {
            faults.add("no limit for its processes");
        }
        for (String capabilities : List.of("CapEff", "CapPrm", "CapBnd")) {
            if (!line(status, capabilities).matches(capabilities + ":\\s0+")) {
                faults.add("it has " + line(status, capabilities));
            }
        }
        return faults;
    }

    private static String line(String status, String name) {
        return status.lines()
                .filter(line -> line.startsWith(name + ":"))
                .findFirst()
                .orElse("no " + name);
    }

    /** What is missing is told by the health, and is no fault of this row. */
    private static List<String> means(Arena arena) {
        return List.of(arena.sandbox().path("isolation").asText().split(", ", -1));
    }

    private static List<String> shared(List<String> present, String means, long server, long worker, String namespace) {
        return present.contains(means) && link(server, "ns/" + namespace).equals(link(worker, "ns/" + namespace))
                ? List.of("it shares " + namespace + " with the server")
                : List.of();
    }

    private static Set<String> files(long pid) {
        Set<String> files = new HashSet<>();
        try (Stream<Path> open = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            open.forEach(each -> files.add(link(pid, "fd/" + each.getFileName())));
            return files;
        } catch (IOException gone) {
            return files;
        }
    }

    private static String link(long pid, String name) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + pid + "/" + name)).toString();
        } catch (IOException gone) {
            return "gone " + pid;
        }
    }

    private static String status(long pid) {
        return read(pid, "status");
    }

    private static String read(long pid, String name) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/" + name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
