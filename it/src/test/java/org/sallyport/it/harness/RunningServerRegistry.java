package org.sallyport.it.harness;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** All servers of this JVM and their auxiliary processes. A shutdown hook ends them, so that none outlives this JVM. */
final class RunningServerRegistry {
    private static final Set<SallyportServer> SERVERS = ConcurrentHashMap.newKeySet();
    private static final Set<Process> OTHER_PROCESSES = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(RunningServerRegistry::stopAll, "end-servers"));
    }

    private RunningServerRegistry() {}

    static void add(SallyportServer server) {
        SERVERS.add(server);
    }

    static void remove(SallyportServer server) {
        SERVERS.remove(server);
    }

    /** Registers another process, which the hook ends with all its descendants. */
    static void add(Process process) {
        OTHER_PROCESSES.removeIf(other -> !other.isAlive());
        OTHER_PROCESSES.add(process);
    }

    static List<SallyportServer> all() {
        return List.copyOf(SERVERS);
    }

    private static void stopAll() {
        // In parallel, because Surefire gives its process half a minute to end.
        all().parallelStream().forEach(SallyportServer::close);
        OTHER_PROCESSES.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }
}
