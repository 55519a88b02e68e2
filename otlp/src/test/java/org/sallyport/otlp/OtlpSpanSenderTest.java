package org.sallyport.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.otlp.SpanSender.ExportOutcome;
import org.sallyport.otlp.SpanSender.ExportResult;

/** Tests the requests that a collector on loopback receives, and how the sender treats its responses. */
class OtlpSpanSenderTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final FinishedSpan SPAN = new FinishedSpan(
            TRACE,
            "00f067aa0ba902b7",
            Optional.of(new FinishedSpan.ParentSpan("1234567890abcdef", true)),
            "a=1,b@c=2",
            "demo.add \u00e9",
            FinishedSpan.FinishedSpanKind.CLIENT,
            Instant.parse("2026-01-01T00:00:00.000000123Z"),
            Instant.parse("2026-01-01T00:00:01Z"),
            Map.of("text", "x\u0000\ud83d\ude00", "number", 7L, "flag", true),
            List.of(new FinishedSpan.SpanEvent(Instant.parse("2026-01-01T00:00:00.5Z"), "state", Map.of("n", 1L))),
            new FinishedSpan.SpanStatus(true, "tool-failed"));

    private final BlockingQueue<ExportTraceServiceRequest> receivedRequests = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> paths = new LinkedBlockingQueue<>();
    private final CountDownLatch testFinished = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile int status = 200;
    private volatile byte[] body = {};
    private volatile String authorization = "";
    private HttpServer collector;

    @BeforeEach
    void start() throws IOException {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.setExecutor(threads);
        collector.createContext("/", this::receive);
        collector.start();
    }

    @AfterEach
    void stop() {
        testFinished.countDown();
        collector.stop(0);
        threads.shutdownNow();
    }

    private void receive(HttpExchange exchange) throws IOException {
        paths.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                + exchange.getRequestHeaders().getFirst("Content-Type"));
        authorization = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
        try (InputStream in = new GZIPInputStream(exchange.getRequestBody())) {
            receivedRequests.add(ExportTraceServiceRequest.parseFrom(in));
        }
        if (status == 0) {
            try {
                testFinished.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return;
        }
        if (status / 100 == 3) {
            exchange.getResponseHeaders()
                    .set(
                            "Location",
                            "http://127.0.0.1:" + collector.getAddress().getPort() + "/elsewhere");
        }
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private OtlpSpanSender sender() {
        return sender(TIMEOUT);
    }

    private OtlpSpanSender sender(Duration timeout) {
        return new OtlpSpanSender(
                URI.create("http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/traces"),
                Map.of("Authorization", "Bearer collectors-secret"),
                timeout,
                Map.of("service.name", "door", "service.instance.id", "n1"));
    }

    private static ExportResult send(OtlpSpanSender sender) throws Exception {
        return sender.send(List.of(SPAN)).toCompletableFuture().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void spanIsSentUnchanged() throws Exception {
        try (OtlpSpanSender sender = sender()) {
            assertThat(send(sender)).isEqualTo(ExportResult.SUCCESS);
        }

        assertThat(paths.take()).isEqualTo("POST /v1/traces application/x-protobuf");
        assertThat(authorization).isEqualTo("Bearer collectors-secret");
        var resource = receivedRequests.take().getResourceSpans(0);
        assertThat(resource.getResource().getAttributesList())
                .extracting(each -> each.getKey() + "=" + each.getValue().getStringValue())
                .containsExactlyInAnyOrder("service.name=door", "service.instance.id=n1");
        Span span = resource.getScopeSpans(0).getSpans(0);
        assertThat(hex(span.getTraceId().toByteArray())).isEqualTo(TRACE);
        assertThat(hex(span.getSpanId().toByteArray())).isEqualTo("00f067aa0ba902b7");
        assertThat(hex(span.getParentSpanId().toByteArray())).isEqualTo("1234567890abcdef");
        assertThat(span.getTraceState()).isEqualTo("a=1,b@c=2");
        assertThat(span.getName()).isEqualTo("demo.add \u00e9");
        assertThat(span.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_CLIENT);
        assertThat(span.getEndTimeUnixNano() - span.getStartTimeUnixNano()).isEqualTo(999_999_877L);
        assertThat(span.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_ERROR);
        assertThat(span.getStatus().getMessage()).isEqualTo("tool-failed");
        assertThat(span.getAttributesList())
                .extracting(each -> each.getKey() + ":" + each.getValue().getValueCase())
                .containsExactlyInAnyOrder("text:STRING_VALUE", "number:INT_VALUE", "flag:BOOL_VALUE");
        assertThat(span.getEvents(0).getName()).isEqualTo("state");
    }

    private static String hex(byte[] bytes) {
        return java.util.HexFormat.of().formatHex(bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "200, TAKEN",
        "202, TAKEN",
        "429, AGAIN",
        "502, AGAIN",
        "503, AGAIN",
        "504, AGAIN",
        "400, REFUSED",
        "401, REFUSED",
        "404, REFUSED",
        "413, REFUSED",
        "500, REFUSED",
        "302, REFUSED",
        "307, REFUSED"
    })
    void responseStatusDeterminesTheRetry(int answered, ExportOutcome outcome) throws Exception {
        status = answered;
        try (OtlpSpanSender sender = sender()) {
            assertThat(send(sender).outcome()).isEqualTo(outcome);
        }
        assertThat(paths)
                .as("no redirect is followed, and nothing is sent twice")
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"200, TAKEN", "400, REFUSED", "503, AGAIN"})
    void malformedResponseBodyIsIgnored(int answered, ExportOutcome outcome) throws Exception {
        status = answered;
        body = "\u0000\u00ff{]garbage".repeat(10_000).getBytes(StandardCharsets.ISO_8859_1);
        try (OtlpSpanSender sender = sender()) {
            assertThat(send(sender).outcome()).isEqualTo(outcome);
        }
    }

    @Test
    void unreachableCollectorMeansRetry() throws Exception {
        OtlpSpanSender sender = sender();
        collector.stop(0);

        ExportResult verdict = send(sender);

        assertThat(verdict.outcome()).isEqualTo(ExportOutcome.AGAIN);
        assertThat(verdict.reason()).isNotEmpty().doesNotContain("collectors-secret");
        sender.close();
    }

    @Test
    void timeoutMeansRetry() throws Exception {
        status = 0;
        try (OtlpSpanSender sender = sender(Duration.ofSeconds(2))) {
            assertThat(send(sender).outcome()).isEqualTo(ExportOutcome.AGAIN);
        }
    }
}
