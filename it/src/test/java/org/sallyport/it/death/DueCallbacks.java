package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Submission;

/** Who asked to be told of an end is told. */
final class DueCallbacks implements Promise, AutoCloseable {
    private final Api api;
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();
    private final HttpServer receiver;
    private String id = "";

    DueCallbacks(Api api) {
        this.api = api;
        try {
            receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        receiver.createContext("/", exchange -> {
            heard.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        receiver.start();
    }

    @Override
    public void make() {
        api.send(api.request("/api/v1/callbacks/secret").POST(BodyPublishers.noBody()))
                .expect(201);
        id = api.submit(Submission.javascript(HELD + "return 1")
                .with("callback", "\"http://127.0.0.1:" + receiver.getAddress().getPort() + "/\""));
        api.awaitOutput(id, "begun");
    }

    @Override
    public void assertKept() {
        Await.until(
                "the callback of " + id + " is delivered",
                Duration.ofSeconds(120),
                () -> api.get(Api.EXECUTIONS + "/" + id + "/callback")
                        .expect(200)
                        .json()
                        .path("state")
                        .asText()
                        .equals("delivered"));
        assertThat(heard)
                .isNotEmpty()
                .allSatisfy(body -> assertThat(
                                Json.read(body).at("/execution/state").asText())
                        .as(body)
                        .isEqualTo("COMPLETED"));
    }

    @Override
    public void close() {
        receiver.stop(0);
    }
}
