package org.sallyport.cli;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.sallyport.cli.terminal.Terminal;

/**
 * Runs typical commands, so that the class data archive (CDS) contains the classes that they load. The archive makes
 * later commands start faster.
 */
final class CdsTrainingRun {
    private static final byte[] RESPONSE = """
            {"status": "UP", "checks": [{"name": "database", "status": "UP", "data": {}}],
             "items": [{"id": "i", "state": "COMPLETED", "createdAt": "2026-01-01T00:00:00Z", "runMillis": 1}], \
            "next": null}
            """.getBytes(StandardCharsets.UTF_8);

    private CdsTrainingRun() {}

    /** Runs the commands against a local server that gives one response to all requests. Returns the exit code. */
    static int run(CliEnvironment surroundings, Terminal terminal) {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, RESPONSE.length);
                exchange.getResponseBody().write(RESPONSE);
                exchange.close();
            });
            server.start();
            String url = "http://127.0.0.1:" + server.getAddress().getPort();
            for (String command : List.of("status", "list")) {
                new CliRunner(surroundings, terminal).run(command, "--url", url);
            }
            server.stop(0);
            return ExitCode.COMPLETED.code();
        } catch (IOException e) {
            return ExitCode.FAILED.code();
        }
    }
}
