package org.sallyport.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class LoopbackListenersTest {
    private static final long THIS_PROCESS = ProcessHandle.current().pid();

    @Test
    void socketBelongsToTheProcessThatListens() throws IOException {
        for (String address : new String[] {"127.0.0.1", "0.0.0.0"}) {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(address))) {
                assertThat(LoopbackListeners.belongTo(THIS_PROCESS, socket.getLocalPort()))
                        .as(address)
                        .isTrue();
            }
        }
    }

    @Test
    void portWithoutASocketBelongsToNoProcess() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
            assertThat(LoopbackListeners.belongTo(THIS_PROCESS, port)).isTrue();
        }

        assertThat(LoopbackListeners.belongTo(THIS_PROCESS, port)).isFalse();
    }

    @Test
    void socketOfAnotherProcessDoesNotBelongToIt() throws IOException {
        Process other = new ProcessBuilder("sleep", "60").start();
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(LoopbackListeners.belongTo(other.pid(), socket.getLocalPort()))
                    .isFalse();
        } finally {
            other.destroyForcibly();
            other.onExit().join();
        }
        assertThat(LoopbackListeners.belongTo(other.pid(), 1)).isFalse();
    }
}
