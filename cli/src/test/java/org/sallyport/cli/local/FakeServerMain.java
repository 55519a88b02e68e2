package org.sallyport.cli.local;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A fake of the service. Arguments: a port, then any of {@code dies} (prints and ends), {@code never-ready},
 * {@code empty} (a server without application), {@code stubborn} (does not end on SIGTERM), {@code children} (starts
 * two processes that end only when killed).
 */
public final class FakeServerMain {
    private FakeServerMain() {}

    public static void main(String[] arguments) throws Exception {
        List<String> words = List.of(arguments);
        System.out.println("stand-in begins");
        if (words.contains("dies")) {
            System.out.println("SEVERE: no such\u001b[31m database");
            System.exit(3);
        }
        if (words.contains("children")) {
            for (int i = 0; i < 2; i++) {
                new ProcessBuilder("sh", "-c", "trap '' TERM; while :; do sleep 1; done").start();
            }
        }
        if (words.contains("stubborn")) {
            Runtime.getRuntime().addShutdownHook(new Thread(FakeServerMain::delayExit));
        }
        serve(Integer.parseInt(arguments[0]), words.contains("never-ready"), words.contains("empty"));
    }

    private static void serve(int port, boolean never, boolean empty) throws IOException {
        byte[] body = ("{\"status\":\"" + (never ? "DOWN" : "UP")
                        + "\",\"checks\":[{\"name\":\"stand-in\",\"status\":\"UP\"}]}")
                .getBytes(StandardCharsets.UTF_8);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/health/ready", exchange -> {
            exchange.sendResponseHeaders(empty ? 404 : never ? 503 : 200, empty ? -1 : body.length);
            if (!empty) {
                exchange.getResponseBody().write(body);
            }
            exchange.close();
        });
        server.start();
        if (empty) {
            System.out.println("SEVERE Exception while loading the app");
            System.out.println("\tat some.Frame(Frame.java:1)");
            System.out.println("INFO Payara Micro 1.0 (build 1) ready in 12,703 (ms)");
        }
    }

    private static void delayExit() {
        try {
            Thread.sleep(60_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
