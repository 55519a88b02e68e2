package org.sallyport.it.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for servers. Below those that a system gives to connections: one of these would be taken between the look and the start.
 * Test processes that run side by side have ranges of their own.
 */
final class FreePorts {
    private static final int LOWEST = 15_000;
    private static final int RANGE = 1_000;
    private static final AtomicInteger ASKED = new AtomicInteger();

    private FreePorts() {}

    static int next() {
        int first = LOWEST + RANGE * TestProcess.number();
        for (int i = 0; i < RANGE; i++) {
            int port = first + ASKED.getAndIncrement() % RANGE;
            if (isFree(port)) {
                return port;
            }
        }
        throw new AssertionError("no port from " + first + " to " + (first + RANGE - 1) + " is free");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
