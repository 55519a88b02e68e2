package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.RawHttpConnection;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Clients that prefer HTTP/2, as the HTTP client of Java does by default, ask in each request without TLS for another
 * protocol. The server answers with HTTP/1.1.
 */
@ExtendWith(ServerExtension.class)
class HttpUpgradeIT {
    private static final byte[] SUBMISSION =
            SubmissionBody.javascript("return 'Ω'.repeat(3)").json().getBytes(StandardCharsets.UTF_8);

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final SallyportServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    HttpUpgradeIT(SallyportServer server) {
        this.server = server;
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.url().resolve(path))
                .header("Authorization", "Bearer " + server.adminKey())
                .header("Content-Type", "application/json");
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
        assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
        return response;
    }

    @Test
    void bodiesOfKnownAndUnknownLengthAreRead() throws IOException, InterruptedException {
        for (BodyPublisher body : List.of(
                BodyPublishers.ofByteArray(SUBMISSION),
                BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(SUBMISSION)))) {
            HttpResponse<String> response = send(
                    request(RestClient.EXECUTIONS).header("Prefer", "wait=30").POST(body));

            assertThat(response.statusCode()).as(response.body()).isBetween(200, 202);
            assertThat(response.body()).contains("ΩΩΩ");
        }
    }

    /** A client that does not know that the server closes the connection loses its next request. */
    @Test
    void shortAndLongResponsesAnnounceTheEndOfTheConnection() {
        for (String path : List.of("/health/live", "/openapi")) {
            try (RawHttpConnection connection = new RawHttpConnection(server.url())) {
                connection.send("GET " + path + " HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer " + server.adminKey()
                        + "\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n");
                String response = connection.readToEnd(TIMEOUT);

                assertThat(response).startsWith("HTTP/1.1 200");
                assertThat(response.lines().takeWhile(line -> !line.isEmpty()))
                        .filteredOn(line -> line.startsWith("Connection:"))
                        .containsExactly("Connection: close");
            }
        }
    }

    @Test
    void requestsWithoutABodyAreAnsweredAtOnce() throws IOException, InterruptedException {
        String missing = RestClient.EXECUTIONS + "/no-such-execution";

        assertThat(send(request(RestClient.EXECUTIONS).GET()).statusCode()).isEqualTo(200);
        assertThat(send(request(RestClient.EXECUTIONS).POST(BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(400);
        assertThat(send(request(missing + "/cancel").POST(BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(404);
        assertThat(send(request("/api/v1/api-keys/no-such-key").DELETE()).statusCode())
                .isEqualTo(404);
    }
}
