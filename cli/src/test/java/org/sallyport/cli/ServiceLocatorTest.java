package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle;

class ServiceLocatorTest {
    @TempDir
    Path directory;

    /** The header {@code Authorization} of each request, or {@code none}. */
    private final List<String> credentials = new CopyOnWriteArrayList<>();

    private final HttpServer stranger = listen();

    private static HttpServer listen() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A program of another user that listens where the service would, and answers as if it were ready. */
    @BeforeEach
    void startStranger() throws IOException {
        byte[] ready = "{\"status\":\"UP\",\"checks\":[{}],\"items\":[]}".getBytes(StandardCharsets.UTF_8);
        stranger.createContext("/", exchange -> {
            credentials.add(Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization"))
                    .orElse("none"));
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, ready.length);
            exchange.getResponseBody().write(ready);
            exchange.close();
        });
        stranger.start();
        Files.createDirectories(directory.resolve("data"));
        Files.writeString(directory.resolve("data/admin.key"), "sp_local\n");
    }

    @AfterEach
    void stopStranger() {
        stranger.stop(0);
    }

    @Test
    void keyIsNotSentToAStranger() {
        ServiceLocator locator = new ServiceLocator(
                new CliEnvironment(
                        Map.of(
                                "SALLYPORT_PORT",
                                Integer.toString(stranger.getAddress().getPort())),
                        directory,
                        directory,
                        "java",
                        InputStream.nullInputStream()),
                new Terminal(System.out, System.err, false, false, new TerminalStyle(80, false, false)),
                new ServiceTarget(Optional.empty(), Optional.empty()));

        assertThat(locator.startedApi().get("/executions").path("items").isArray())
                .isTrue();

        assertThat(credentials).isNotEmpty().containsOnly("none");
    }
}
