package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.callback.CallbackUris;
import org.sallyport.testsupport.TimingAssertions;

/** Requests to real receivers on the loopback interface, well-behaved and hostile. */
class WebhookClientTest {
    private static final byte[] BODY = "{\"é\":1}".getBytes(StandardCharsets.UTF_8);
    /** Timeout for receivers that answer, long enough for a busy machine. */
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private static final Duration SHORT_TIMEOUT = Duration.ofMillis(800);

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();
    private final CountDownLatch finished = new CountDownLatch(1);
    private HttpServer server;
    private WebhookClient client;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.start();
        client = new WebhookClient(List.of("*"), true, 4, TIMEOUT, scheduler);
    }

    @AfterEach
    void stop() {
        finished.countDown();
        client.close();
        server.stop(0);
        threads.shutdownNow();
        scheduler.shutdownNow();
    }

    private void useShortTimeout() {
        client.close();
        client = new WebhookClient(List.of("*"), true, 4, SHORT_TIMEOUT, scheduler);
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private void respondAt(String path, int status, String... headers) {
        server.createContext(path, exchange -> {
            events.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Sallyport-Delivery") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
            }
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
    }

    private int post(String url) throws IOException {
        return client.post(url, Map.of("Sallyport-Delivery", "id"), BODY);
    }

    @Test
    void receiverGetsTheBodyOnceAndItsStatusIsReturned() throws IOException {
        respondAt("/ok", 204);
        respondAt("/no", 500);
        assertThat(post(url("/ok?a=b"))).isEqualTo(204);
        assertThat(post(url("/no"))).isEqualTo(500);
        assertThat(events).containsExactly("POST /ok?a=b id {\"é\":1}", "POST /no id {\"é\":1}");
    }

    @Test
    void urlIsSentWithItsCharactersEncoded() throws IOException {
        respondAt("/n", 204);
        String url = url("/n/a b[1]?a=b%20c&d=ä");
        assertThat(client.findUrlProblem(url)).isEmpty();
        assertThat(post(url)).isEqualTo(204);
        assertThat(events).containsExactly("POST /n/a%20b%5B1%5D?a=b%20c&d=%C3%A4 id {\"é\":1}");
        assertThat(CallbackUris.host(url)).isEqualTo("127.0.0.1");
        assertThat(client.findUrlProblem("http://bücher.example/x")).isEmpty();
        assertThat(CallbackUris.host("http://bücher.example/x")).isEqualTo("xn--bcher-kva.example");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://127.0.0.1:0/x     | its port must be a number from 1 to 65535",
                "http://127.0.0.1:70000/x | its port must be a number from 1 to 65535",
                "http://faß.example/x     | its host must be written in its ASCII form (xn--…)",
                "http://x/a\\b             | it is no URL: illegal character in path",
                "'http://x/a '            | it is no URL: it has a blank at its beginning or its end",
            })
    void reasonOfARefusalIsNamed(String url, String reason) {
        assertThat(client.findUrlProblem(url))
                .hasValueSatisfying(problem -> assertThat(problem).contains(reason));
    }

    @Test
    void redirectIsReturnedAndNotFollowed() throws IOException {
        respondAt("/there", 200);
        respondAt("/moved", 307, "Location", url("/there"));
        assertThat(post(url("/moved"))).isEqualTo(307);
        assertThat(events).hasSize(1);
    }

    @Test
    void longOrManyResponseHeadersAreNotRead() {
        String[] many = new String[600];
        for (int i = 0; i < many.length; i++) {
            many[i] = "X-" + i / 2;
        }
        respondAt("/many", 200, many);
        respondAt("/long", 200, "X-Long", "y".repeat(100_000));
        for (String path : List.of("/many", "/long")) {
            assertThatThrownBy(() -> post(url(path)))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("no answer");
        }
    }

    @Test
    void hugeResponseBodyIsNotRead() throws IOException {
        server.createContext("/huge", exchange -> {
            exchange.sendResponseHeaders(200, 1L << 40);
            byte[] much = new byte[1 << 16];
            try (OutputStream out = exchange.getResponseBody()) {
                while (finished.getCount() > 0) {
                    out.write(much);
                }
            } catch (IOException e) {
                events.add("cut off");
            }
        });
        long start = System.nanoTime();
        assertThat(post(url("/huge"))).isEqualTo(200);
        TimingAssertions.assertAtMostSince(start, TIMEOUT);
    }

    @Test
    void silentReceiverTimesOut() {
        server.createContext("/slow", exchange -> await(finished));
        useShortTimeout();
        long start = System.nanoTime();
        assertThatThrownBy(() -> post(url("/slow"))).isInstanceOf(IOException.class);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertThat(took).isGreaterThanOrEqualTo(Duration.ofMillis(400));
        TimingAssertions.assertAtMost(Duration.ofSeconds(30), took);
    }

    /** Each byte arrives in time, the complete response does not. */
    @Test
    void tricklingReceiverTimesOut() throws IOException {
        useShortTimeout();
        try (ServerSocket listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            threads.execute(() -> drip(listening));
            long start = System.nanoTime();
            assertThatThrownBy(() -> post("http://127.0.0.1:" + listening.getLocalPort() + "/"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("did not answer within 800 ms");
            TimingAssertions.assertAtMostSince(start, Duration.ofSeconds(30));
        }
    }

    private void drip(ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            OutputStream out = socket.getOutputStream();
            out.write("HTTP/1.1 200 OK\r\nX: ".getBytes(StandardCharsets.US_ASCII));
            while (!finished.await(50, java.util.concurrent.TimeUnit.MILLISECONDS)) {
                out.write('x');
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            events.add("cut off");
        }
    }

    @Test
    void closedOrRefusedConnectionHasNoStatus() throws IOException {
        try (ServerSocket listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            threads.execute(() -> {
                try (Socket socket = listening.accept();
                        InputStream in = socket.getInputStream()) {
                    events.add("first byte " + in.read());
                } catch (IOException e) {
                    events.add("failed");
                }
            });
            assertThatThrownBy(() -> post("http://127.0.0.1:" + listening.getLocalPort() + "/"))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("no answer");
        }
        int closed;
        try (ServerSocket closedSocket = new ServerSocket(0)) {
            closed = closedSocket.getLocalPort();
        }
        assertThatThrownBy(() -> post("http://127.0.0.1:" + closed + "/")).isInstanceOf(IOException.class);
    }

    @Test
    void hostThatResolvesToAPrivateAddressIsNotContacted() {
        respondAt("/", 200);
        try (WebhookClient guarded = new WebhookClient(List.of("*"), false, 4, TIMEOUT, scheduler, name ->
                new InetAddress[] {InetAddress.getLoopbackAddress()})) {
            String url = "http://receiver.example:" + server.getAddress().getPort() + "/";
            assertThat(guarded.findUrlProblem(url)).as("it cannot be told yet").isEmpty();
            assertThatThrownBy(() -> guarded.post(url, Map.of(), BODY))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("not public");
        }
        assertThat(events).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "ftp://example.org/",
                "http:///x",
                "http://user@example.org/",
                "http://127.0.0.1/",
                "http://127.0.0.1:8080/",
                "http://169.254.169.254/latest",
                "http://10.0.0.1/",
                "http://[::1]/",
                "http://[::ffff:127.0.0.1]/",
                "http://[64:ff9b::7f00:1]/",
                "http://2130706433/",
                "http://0x7f.1/",
                "http://127.1/",
                "http://0177.0.0.1/",
                "http://１２７.0.0.1/",
                "http://localhost:0/",
                "https://example.org/#part",
                "https://exa mple.org/"
            })
    void forbiddenUrlIsReportedImmediately(String url) {
        try (WebhookClient guarded = new WebhookClient(List.of("*"), false, 4, TIMEOUT, scheduler)) {
            assertThat(guarded.findUrlProblem(url)).isPresent();
        }
    }

    @Test
    void onlyListedHostsAreCalled() {
        try (WebhookClient some =
                        new WebhookClient(List.of("hooks.example.org", "*.example.com"), false, 4, TIMEOUT, scheduler);
                WebhookClient none = new WebhookClient(List.of(), false, 4, TIMEOUT, scheduler)) {
            assertThat(some.findUrlProblem("https://hooks.example.org/a?b=c")).isEmpty();
            assertThat(some.findUrlProblem("https://a.example.com/")).isEmpty();
            assertThat(some.findUrlProblem("https://example.org/")).isPresent();
            assertThat(none.findUrlProblem("https://hooks.example.org/")).isPresent();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
