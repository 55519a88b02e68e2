package org.sallyport.it.harness;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Every server of this JVM, so that none outlives it. */
final class RunningServers {
    private static final Set<SallyportServer> ALL = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> all().forEach(SallyportServer::end), "end-servers"));
    }

    private RunningServers() {}

    static void add(SallyportServer server) {
        ALL.add(server);
    }

    static void remove(SallyportServer server) {
        ALL.remove(server);
    }

    static List<SallyportServer> all() {
        return List.copyOf(ALL);
    }
}
