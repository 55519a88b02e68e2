package org.sallyport.it.security;

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
import org.sallyport.it.harness.ListeningSockets;
import org.sallyport.it.harness.ProcessInspector;

/**
 * Checks the abilities of a worker process into which a script has escaped, by inspecting real workers through the
 * operating system.
 */
final class WorkerAttacks {
    private WorkerAttacks() {}

    static List<AttackCase> all() {
        return List.of(
                AttackCase.of(
                                "A29",
                                "what a worker has of the server",
                                AttackExpectation.outcome("contained"),
                                WorkerAttacks::checkEnvironment)
                        .onlyIn(SandboxMode.WORKER),
                AttackCase.documentedOnly(
                        "A30",
                        "links planted in a worker's directory",
                        "shown by `WorkerEnvironmentTest.workerCannotWriteFiles`"),
                AttackCase.documentedOnly(
                        "A31",
                        "malformed frames",
                        "shown by `FrameFuzzTest.decodingGivesAFrameOrAProtocolException` · "
                                + "`HostileWorkerTest.invalidFrameEndsTheSessionsOfItsWorker` · "
                                + "`HostileWorkerTest.invalidFrameLengthIsRefusedImmediately`"),
                AttackCase.documentedOnly(
                        "A31b",
                        "messages of a worker that forge members, codes or open calls",
                        "shown by `HostileWorkerTest.textThatIsNotOneStrictJsonValueEndsTheSession` · "
                                + "`HostileWorkerTest.moreOpenCallsThanTheLimitEndTheSession` · "
                                + "`HostileWorkerTest.workerCannotEndAScriptWithACodeOfTheService` · "
                                + "`HostileWorkerTest.progressFloodIsThrottledAndItsLastReportIsPassedOn` · "
                                + "`HostileWorkerTest.floodOfValidFramesOfASessionEndsTheWorker`"),
                AttackCase.documentedOnly(
                        "A31c",
                        "connections to the socket of the workers without a token",
                        "shown by `WorkerSocketTest.longFirstFrameIsRefusedBeforeItArrives` · "
                                + "`WorkerSocketTest.connectionBeyondTheLimitClosesTheOldestWithoutToken`"),
                AttackCase.of(
                                "B49",
                                "processes and threads of a worker",
                                AttackExpectation.outcome("contained"),
                                WorkerAttacks::checkResourceLimits)
                        .onlyIn(SandboxMode.WORKER));
    }

    private static AttackResult checkEnvironment(SecurityTestServer arena) {
        List<String> present = isolationFeatures(arena);
        List<String> faults = new ArrayList<>();
        for (ProcessHandle worker : arena.server().workers()) {
            faults.addAll(checkIfAlive(worker, () -> checkEnvironment(arena, present, worker.pid())));
        }
        return AttackResult.of(faults.isEmpty() ? "contained" : faults.toString(), "");
    }

    private static List<String> checkEnvironment(SecurityTestServer arena, List<String> present, long pid) {
        long server = arena.server().pid();
        List<String> faults = new ArrayList<>();
        if (!ProcessInspector.environment(pid).isEmpty()) {
            faults.add("it has an environment");
        }
        if (!ListeningSockets.findByProcess(pid).isEmpty()) {
            faults.add("it listens on " + ListeningSockets.findByProcess(pid));
        }
        openFiles(pid).stream()
                .filter(file -> file.startsWith(arena.server().dataDirectory().toString())
                        && !file.contains("/workers/")
                        && !file.endsWith(".jar"))
                .forEach(file -> faults.add("it has " + file));
        faults.addAll(findSharedNamespace(present, "no-network", server, pid, "net"));
        faults.addAll(findSharedNamespace(present, "own-processes", server, pid, "pid"));
        faults.addAll(findSharedNamespace(present, "own-ipc", server, pid, "ipc"));
        if (present.contains("own-session") && session(pid).equals(session(server))) {
            faults.add("it is in the session of the server");
        }
        if (present.contains("no-new-privileges") && !status(pid).contains("NoNewPrivs:\t1")) {
            faults.add("it may get privileges");
        }
        return faults;
    }

    /** Ignores a worker that ends during the check, because an earlier case may have caused that. */
    private static List<String> checkIfAlive(ProcessHandle worker, Supplier<List<String>> check) {
        try {
            return check.get();
        } catch (UncheckedIOException | AssertionError failure) {
            if (worker.isAlive()) {
                throw failure;
            }
            return List.of();
        }
    }

    private static AttackResult checkResourceLimits(SecurityTestServer arena) {
        List<String> faults = new ArrayList<>();
        if (isolationFeatures(arena).contains("resource-limits")) {
            for (ProcessHandle worker : arena.server().workers()) {
                faults.addAll(checkIfAlive(worker, () -> checkResourceLimits(worker.pid())));
                if (isolationFeatures(arena).contains("own-user")) {
                    faults.addAll(
                            checkIfAlive(worker, () -> checkUser(arena.server().pid(), worker.pid())));
                }
            }
        }
        return AttackResult.of(faults.isEmpty() ? "contained" : faults.toString(), "");
    }

    private static List<String> checkResourceLimits(long pid) {
        String limits = read(pid, "limits");
        return Stream.of("Max open files", "Max data size", "Max core file size")
                .filter(limit ->
                        limits.lines().anyMatch(line -> line.startsWith(limit + " ") && line.contains("unlimited")))
                .map(limit -> "no limit for " + limit)
                .toList();
    }

    /** The process limit applies to a user, so the worker needs a user of its own that runs no other processes. */
    private static List<String> checkUser(long server, long worker) {
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

    /** The health check reports missing isolation features. They are not a failure of this case. */
    private static List<String> isolationFeatures(SecurityTestServer arena) {
        return List.of(arena.sandboxHealth().path("isolation").asText().split(", ", -1));
    }

    private static List<String> findSharedNamespace(
            List<String> present, String means, long server, long worker, String namespace) {
        return present.contains(means)
                        && readLink(server, "ns/" + namespace).equals(readLink(worker, "ns/" + namespace))
                ? List.of("it shares " + namespace + " with the server")
                : List.of();
    }

    private static String session(long pid) {
        String stat = read(pid, "stat");
        // The name of the program is in parentheses. After it: state, parent, process group, session.
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[3];
    }

    private static Set<String> openFiles(long pid) {
        Set<String> files = new HashSet<>();
        try (Stream<Path> open = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            open.forEach(each -> files.add(readLink(pid, "fd/" + each.getFileName())));
            return files;
        } catch (IOException e) {
            return files;
        }
    }

    private static String readLink(long pid, String name) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + pid + "/" + name)).toString();
        } catch (IOException e) {
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
