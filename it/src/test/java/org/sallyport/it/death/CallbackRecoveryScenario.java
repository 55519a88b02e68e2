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
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** The service delivers the callbacks that submissions requested. */
final class CallbackRecoveryScenario implements RecoveryScenario, AutoCloseable {
    private final RestClient api;
    private final Queue<String> receivedBodies = new ConcurrentLinkedQueue<>();
    private final HttpServer receiver;
    private String id = "";

    CallbackRecoveryScenario(RestClient api) {
        this.api = api;
        try {
            receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        receiver.createContext("/", exchange -> {
            receivedBodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        receiver.start();
    }

    @Override
    public void prepare() {
        api.send(api.request("/api/v1/callbacks/secret").POST(BodyPublishers.noBody()))
                .expectStatus(201);
        id = api.submit(SubmissionBody.javascript(WAIT_FOR_RELEASE + "return 1")
                .with("callback", "\"http://127.0.0.1:" + receiver.getAddress().getPort() + "/\""));
        api.awaitOutput(id, "begun");
    }

    @Override
    public void assertRecovered() {
        Await.until(
                "the callback of " + id + " is delivered",
                Duration.ofSeconds(120),
                () -> api.get(RestClient.EXECUTIONS + "/" + id + "/callback")
                        .expectStatus(200)
                        .json()
                        .path("state")
                        .asText()
                        .equals("delivered"));
        assertThat(receivedBodies)
                .isNotEmpty()
                .allSatisfy(body -> assertThat(
                                TestJson.read(body).at("/execution/state").asText())
                        .as(body)
                        .isEqualTo("COMPLETED"));
    }

    @Override
    public void close() {
        receiver.stop(0);
    }
}
