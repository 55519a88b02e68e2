package org.sallyport.it.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for servers. They are below the ephemeral range: the system could give a port of that range to a connection
 * between this check and the start of the server. Concurrent test processes have separate ranges.
 */
final class PortAllocator {
    private static final int MIN_PORT = 15_000;
    private static final int PORTS_PER_PROCESS = 1_000;
    private static final AtomicInteger COUNTER = new AtomicInteger();

    private PortAllocator() {}

    static int allocate() {
        int first = MIN_PORT + PORTS_PER_PROCESS * TestProcessNumber.get();
        for (int i = 0; i < PORTS_PER_PROCESS; i++) {
            int port = first + COUNTER.getAndIncrement() % PORTS_PER_PROCESS;
            if (isFree(port)) {
                return port;
            }
        }
        throw new AssertionError("no port from " + first + " to " + (first + PORTS_PER_PROCESS - 1) + " is free");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
