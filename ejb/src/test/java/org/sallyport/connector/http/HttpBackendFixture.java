package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.VaultFixtures;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolResult;

/** A server on the loopback interface, and backends that call it. */
final class HttpBackendFixture implements AutoCloseable {
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final List<BackendConnection> opened = new ArrayList<>();
    private final List<String> errors = Collections.synchronizedList(new ArrayList<>());
    private final List<ToolDefinition> tools = Collections.synchronizedList(new ArrayList<>());
    private final HttpServer server;

    HttpBackendFixture(HttpHandler handler) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(executor);
        server.createContext("/", handler);
        server.start();
    }

    ExecutorService executor() {
        return executor;
    }

    /** The errors that backends reported with their states. */
    List<String> errors() {
        return errors;
    }

    /** The tools that backends declared. */
    List<ToolDefinition> tools() {
        return tools;
    }

    int port() {
        return server.getAddress().getPort();
    }

    String base() {
        return "http://127.0.0.1:" + port();
    }

    /**
     * Opens a backend with the paths of an OpenAPI document.
     *
     * @param settings further settings, after a comma
     */
    BackendConnection openDocument(String paths, String settings) {
        return open("{\"baseUrl\":\"" + base() + "\",\"allowPrivate\":true,\"openapi\":{\"document\":"
                + "{\"openapi\":\"3.0.3\",\"paths\":" + paths + "}}" + settings + "}");
    }

    BackendConnection openOperations(String operations) {
        return openOperations(operations, "");
    }

    /** @param settings further settings, after a comma */
    BackendConnection openOperations(String operations, String settings) {
        return open(
                "{\"baseUrl\":\"" + base() + "\",\"allowPrivate\":true,\"operations\":" + operations + settings + "}");
    }

    BackendConnection open(String settings) {
        return open(new HttpBackendType(executor, VaultFixtures.NO_SECRETS), settings);
    }

    BackendConnection open(HttpBackendType kind, String settings) {
        return open(kind, settings, BackendStatus.BackendState.READY);
    }

    /** Opens a backend that cannot start, and waits until it says why. */
    void openDown(String settings) {
        open(new HttpBackendType(executor, VaultFixtures.NO_SECRETS), settings, BackendStatus.BackendState.DOWN);
    }

    private BackendConnection open(HttpBackendType kind, String settings, BackendStatus.BackendState awaited) {
        kind.check(BackendSettings.of(new Json(settings)));
        return start(listener -> kind.open(definition(settings), listener), awaited);
    }

    static BackendDefinition definition(String settings) {
        return new BackendDefinition("api", "http", new Json(settings), true, BackendDefinition.BackendOrigin.API, "1");
    }

    /** Starts a backend, and waits until it is ready. */
    BackendConnection start(Function<BackendConnection.ConnectionListener, BackendConnection> connection) {
        return start(connection, BackendStatus.BackendState.READY);
    }

    private BackendConnection start(
            Function<BackendConnection.ConnectionListener, BackendConnection> connection,
            BackendStatus.BackendState awaited) {
        List<BackendStatus.BackendState> states = Collections.synchronizedList(new ArrayList<>());
        BackendConnection backend = connection.apply(new BackendConnection.ConnectionListener() {
            @Override
            public void onStateChanged(BackendStatus.BackendState state, Optional<String> error) {
                error.ifPresent(errors::add);
                states.add(state);
            }

            @Override
            public void onToolsDeclared(List<ToolDefinition> declared) {
                tools.addAll(declared);
            }
        });
        opened.add(backend);
        backend.start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!states.contains(awaited)) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(5_000_000);
        }
        return backend;
    }

    static ToolResult call(BackendConnection backend, String tool, String arguments) {
        return call(backend, new CallId("e", 1), tool, arguments);
    }

    static ToolResult call(BackendConnection backend, CallId id, String tool, String arguments) {
        return backend.call(new BackendConnection.BackendRequest(
                        id, tool, new Json(arguments), false, "default", Instant.MAX))
                .toCompletableFuture()
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    static String value(BackendConnection backend, String tool, String arguments) {
        ToolResult result = call(backend, tool, arguments);
        assertThat(result).isInstanceOf(ToolResult.ToolSuccess.class);
        return ((ToolResult.ToolSuccess) result).value().text();
    }

    static ToolError error(BackendConnection backend, String tool, String arguments) {
        ToolResult result = call(backend, tool, arguments);
        assertThat(result).isInstanceOf(ToolResult.ToolFailure.class);
        return ((ToolResult.ToolFailure) result).error();
    }

    static JsonNode details(ToolError error) {
        try {
            return ExactJsonMapper.read(error.details().orElseThrow().text());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void redirect(HttpExchange exchange, int status, String location) throws IOException {
        respond(exchange, status, "", "Location", location);
    }

    /** @param headers names and values; a name may occur more than once */
    static void respond(HttpExchange exchange, int status, String body, String... headers) throws IOException {
        for (int i = 0; i < headers.length; i += 2) {
            exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0) {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
        }
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        } catch (IOException e) {
            // The client does not read the whole body.
        }
    }

    @Override
    public void close() {
        opened.forEach(BackendConnection::close);
        server.stop(0);
        executor.shutdownNow();
    }
}
