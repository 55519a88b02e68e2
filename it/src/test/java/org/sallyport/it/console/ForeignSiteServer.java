package org.sallyport.it.console;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * A server of another site with an empty page, on which a test can run any script. By the name {@code 127.0.0.1} it is
 * another origin of the console's own site, to which browsers attach strict cookies, too; by {@code localhost} it is
 * another site.
 */
final class ForeignSiteServer implements AutoCloseable {
    private static final byte[] PAGE =
            "<!doctype html><title>elsewhere</title><p>Nothing to see.</p>".getBytes(StandardCharsets.UTF_8);

    private final HttpServer server;

    ForeignSiteServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().add("Content-Type", "text/html; charset=utf-8");
            exchange.sendResponseHeaders(200, PAGE.length);
            exchange.getResponseBody().write(PAGE);
            exchange.close();
        });
        server.start();
    }

    /** Its URL with one of its host names. */
    String urlFor(String host) {
        return "http://" + host + ":" + server.getAddress().getPort() + "/";
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
