package org.sallyport.it.harness;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Every server of this JVM and what runs beside them, so that none outlives it. */
final class RunningServers {
    private static final Set<SallyportServer> ALL = ConcurrentHashMap.newKeySet();
    private static final Set<Process> OTHERS = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(RunningServers::endAll, "end-servers"));
    }

    private RunningServers() {}

    static void add(SallyportServer server) {
        ALL.add(server);
    }

    static void remove(SallyportServer server) {
        ALL.remove(server);
    }

    /** A process of another kind; ended with all that it has started. */
    static void add(Process process) {
        OTHERS.removeIf(other -> !other.isAlive());
        OTHERS.add(process);
    }

    static List<SallyportServer> all() {
        return List.copyOf(ALL);
    }

    private static void endAll() {
        // Side by side: Surefire gives its process half a minute to end.
        all().parallelStream().forEach(SallyportServer::close);
        OTHERS.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }
}
