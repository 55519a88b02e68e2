package org.sallyport.starting;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Answers every request at one address with "starting, retry later". Does not read the requests. */
final class StartupResponder implements AutoCloseable {
    private static final int THREADS = 4;
    private static final int BACKLOG = 64;
    private static final String RETRY_AFTER_SECONDS = "2";
    private static final byte[] PROBLEM = """
            {"type":"urn:sallyport:problem:unavailable","title":"The service cannot answer now","status":503,\
            "detail":"the service is starting; try again in a moment"}""".getBytes(StandardCharsets.UTF_8);

    static {
        // In seconds. By default this HTTP server waits forever for a client that does not complete a request or does
        // not read the response.
        System.setProperty("sun.net.httpserver.maxReqTime", "5");
        System.setProperty("sun.net.httpserver.maxRspTime", "5");
    }

    private final HttpServer server;
    private final ExecutorService threads;

    private StartupResponder(HttpServer server) {
        this.server = server;
        this.threads = Executors.newFixedThreadPool(THREADS, StartupResponder::daemonThread);
    }

    /** Listens at the address. Throws {@link IOException} when that fails. */
    static StartupResponder listen(InetSocketAddress address) throws IOException {
        StartupResponder answers = new StartupResponder(HttpServer.create(address, BACKLOG));
        answers.server.setExecutor(answers.threads);
        answers.server.createContext("/", StartupResponder::respond);
        // The server's thread inherits the daemon status of the thread that starts it. It must not keep the process
        // alive.
        Thread starter = daemonThread(answers.server::start);
        starter.start();
        try {
            starter.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return answers;
    }

    private static Thread daemonThread(Runnable task) {
        Thread thread = new Thread(task, "starting");
        thread.setDaemon(true);
        return thread;
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    private static void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().set("Retry-After", RETRY_AFTER_SECONDS);
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            // A kept connection would break when the real server takes over.
            exchange.getResponseHeaders().set("Connection", "close");
            exchange.getResponseHeaders().set("Content-Type", "application/problem+json");
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.sendResponseHeaders(503, -1);
            } else {
                exchange.sendResponseHeaders(503, PROBLEM.length);
                exchange.getResponseBody().write(PROBLEM);
            }
        }
    }

    /** When this returns, the address is free. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
