package org.sallyport.it.harness;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/** An OpenTelemetry collector on loopback that stores the spans that it accepts. */
public final class FakeOtlpCollector implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);

    /** Status value that makes the collector never respond. */
    public static final int NO_RESPONSE = 0;

    /** Service name of a service that was {@linkplain #configure set up}. */
    public static final String SERVICE_NAME = "the door";

    /** The token that the collector expects. */
    public static final String TOKEN = "collector-token-0815";

    private static final FakeOtlpCollector SHARED = new FakeOtlpCollector();

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final List<ReceivedSpan> receivedSpans = new CopyOnWriteArrayList<>();
    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private final AtomicInteger rejectedRequests = new AtomicInteger();
    private volatile int responseStatus = 200;

    /** A span with its ids as hexadecimal digits. */
    public record ReceivedSpan(
            String traceId,
            String spanId,
            String parentSpanId,
            String traceState,
            String name,
            Map<String, String> attributes,
            Map<String, String> resource,
            Span span) {}

    public FakeOtlpCollector() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/v1/traces", this::receive);
        server.start();
    }

    /** The collector of the servers that test classes share. */
    public static FakeOtlpCollector shared() {
        return SHARED;
    }

    /** Configures a server to export to this collector. */
    public ServerSetup configure(ServerSetup setup) {
        Path headers = ServerSetup.temporaryDirectory().resolve("headers");
        try {
            Files.writeString(headers, "Authorization=Bearer " + TOKEN + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return setup.with("sallyport.otel.endpoint", url())
                .with("sallyport.otel.headers-file", headers.toString())
                .with("sallyport.otel.service-name", SERVICE_NAME)
                .with("sallyport.otel.timeout-millis", "5000");
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Sets the status of all later responses. */
    public void respondWith(int code) {
        responseStatus = code;
    }

    private void receive(HttpExchange exchange) throws IOException {
        authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        ExportTraceServiceRequest request;
        try (InputStream in = new GZIPInputStream(exchange.getRequestBody())) {
            request = ExportTraceServiceRequest.parseFrom(in);
        }
        int code = responseStatus;
        if (code == 200) {
            request.getResourceSpansList().forEach(this::storeSpans);
        } else {
            rejectedRequests.incrementAndGet();
        }
        if (code == NO_RESPONSE) {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        } else {
            exchange.sendResponseHeaders(code, -1);
        }
        exchange.close();
    }

    private void storeSpans(ResourceSpans spans) {
        Map<String, String> resource = attributeMap(spans.getResource().getAttributesList());
        spans.getScopeSpansList()
                .forEach(scope -> scope.getSpansList()
                        .forEach(span -> receivedSpans.add(new ReceivedSpan(
                                hex(span.getTraceId().toByteArray()),
                                hex(span.getSpanId().toByteArray()),
                                hex(span.getParentSpanId().toByteArray()),
                                span.getTraceState(),
                                span.getName(),
                                attributeMap(span.getAttributesList()),
                                resource,
                                span))));
    }

    private static Map<String, String> attributeMap(List<KeyValue> attributes) {
        return attributes.stream().collect(Collectors.toMap(KeyValue::getKey, each -> text(each.getValue())));
    }

    private static String text(AnyValue value) {
        return switch (value.getValueCase()) {
            case STRING_VALUE -> value.getStringValue();
            case INT_VALUE -> Long.toString(value.getIntValue());
            case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
            default -> value.toString();
        };
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** All accepted spans. */
    public List<ReceivedSpan> receivedSpans() {
        return List.copyOf(receivedSpans);
    }

    /** Number of rejected requests. */
    public int rejectedRequests() {
        return rejectedRequests.get();
    }

    /** The values of the {@code Authorization} headers of the requests. */
    public List<String> authorizations() {
        return List.copyOf(authorizations);
    }

    /** Waits for the span of an execution and returns it. */
    public ReceivedSpan awaitExecutionSpan(String execution) {
        return Await.untilPresent(
                "the span of execution " + execution,
                TIMEOUT,
                () -> receivedSpans.stream()
                        .filter(span -> execution.equals(span.attributes().get("sallyport.execution.id")))
                        .findFirst());
    }

    /** Waits for the span of the execution and then for the span of the call, and returns the latter. */
    public ReceivedSpan awaitCallSpan(String execution, long ordinal) {
        awaitExecutionSpan(execution);
        return Await.untilPresent("the span of call " + ordinal, TIMEOUT, () -> findCallSpan(execution, ordinal));
    }

    private Optional<ReceivedSpan> findCallSpan(String execution, long ordinal) {
        return receivedSpans.stream()
                .filter(span ->
                        (execution + "/" + ordinal).equals(span.attributes().get("sallyport.call.id")))
                .findFirst();
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
