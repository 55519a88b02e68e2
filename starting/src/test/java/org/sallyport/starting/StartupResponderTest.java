package org.sallyport.starting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class StartupResponderTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final HttpClient client = HttpClient.newHttpClient();
    private StartupResponder responder;

    @BeforeEach
    void begin() throws IOException {
        responder = StartupResponder.listen(ANY);
    }

    @AfterEach
    void end() {
        responder.close();
    }

    private HttpResponse<String> send(String method, String path, String body) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(
                                "http://127.0.0.1:" + responder.address().getPort() + path))
                        .method(method, BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "DELETE", "OPTIONS", "TRACE"})
    void everyRequestIsAnsweredWithRetryAfter(String method) throws Exception {
        HttpResponse<String> answer = send(method, "/api/v1/executions?wait=5", "{\"code\":\"return 1\"}");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).contains("2");
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(answer.body())
                .startsWith("{\"type\":\"urn:sallyport:problem:unavailable\"")
                .contains("\"status\":503", "the service is starting");
    }

    @Test
    void headRequestIsAnsweredWithoutABody() throws Exception {
        HttpResponse<String> answer = send("HEAD", "/", "");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void largeBodyDoesNotBlockTheResponder() throws Exception {
        try {
            assertThat(send("POST", "/", "x".repeat(20_000_000)).statusCode()).isEqualTo(503);
        } catch (IOException e) {
            // The responder closed the connection during the upload, which is also a valid response.
            assertThat(e).hasMessageNotContaining("timed out");
        }
        assertThat(send("GET", "/", "").statusCode()).isEqualTo(503);
    }

    /** More clients than threads of the responder; each starts a request and never completes it. */
    @Test
    void incompleteRequestsDoNotBlockOtherClients() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 12; i++) {
                Socket socket = new Socket(
                        responder.address().getAddress(), responder.address().getPort());
                slow.add(socket);
                socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x".getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(send("GET", "/", "").statusCode()).isEqualTo(503);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void malformedRequestIsNotAnswered() throws Exception {
        try (Socket socket =
                new Socket(responder.address().getAddress(), responder.address().getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write("\u0000\u0001 no request\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
            BufferedReader reader =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            assertThat(String.valueOf(reader.readLine())).doesNotContain("200");
        }
        assertThat(send("GET", "/", "").statusCode()).isEqualTo(503);
    }

    /** Also while a client is still connected, because the server binds the address immediately afterwards. */
    @Test
    void addressIsFreeAtOnceAfterClose() throws Exception {
        InetSocketAddress address = responder.address();
        try (Socket waiting = new Socket(address.getAddress(), address.getPort())) {
            waiting.getOutputStream().write("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(send("GET", "/", "").statusCode()).isEqualTo(503);

            responder.close();

            try (ServerSocket server = new ServerSocket()) {
                server.setReuseAddress(true);
                server.bind(address);
            }
        }
    }

    @Test
    void occupiedPortIsRefused() {
        assertThatThrownBy(() -> StartupResponder.listen(responder.address())).isInstanceOf(BindException.class);
    }

    @Test
    void releasingThePortTwiceIsHarmless() throws Exception {
        responder.close();
        ServerMain.takePort(
                "answer", "127.0.0.1", Integer.toString(responder.address().getPort()));
        assertThat(send("GET", "/", "").statusCode()).isEqualTo(503);

        ServerMain.releasePort();
        ServerMain.releasePort();

        responder = StartupResponder.listen(responder.address());
    }
}
