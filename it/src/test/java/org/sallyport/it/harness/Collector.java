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

/** An OpenTelemetry collector on loopback that keeps the spans it takes. */
public final class Collector implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** As status: says nothing, ever. */
    public static final int SILENT = 0;

    /** What a service that was {@linkplain #setUp set up} calls itself. */
    public static final String SERVICE = "the door";

    /** What it shows. */
    public static final String TOKEN = "collector-token-0815";

    private static final Collector SHARED = new Collector();

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Taken> taken = new CopyOnWriteArrayList<>();
    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile int status = 200;

    /** A span, ids as hexadecimal digits. */
    public record Taken(
            String trace,
            String id,
            String parent,
            String state,
            String name,
            Map<String, String> attributes,
            Map<String, String> resource,
            Span span) {}

    public Collector() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/v1/traces", this::receive);
        server.start();
    }

    /** The one of the servers that test classes share. */
    public static Collector shared() {
        return SHARED;
    }

    /** Lets a server tell this collector. */
    public ServerSetup setUp(ServerSetup setup) {
        Path headers = ServerSetup.temporaryDirectory().resolve("headers");
        try {
            Files.writeString(headers, "Authorization=Bearer " + TOKEN + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return setup.with("sallyport.otel.endpoint", url())
                .with("sallyport.otel.headers-file", headers.toString())
                .with("sallyport.otel.service-name", SERVICE)
                .with("sallyport.otel.timeout-millis", "5000");
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** With what requests are answered from now on. */
    public void answers(int code) {
        status = code;
    }

    private void receive(HttpExchange exchange) throws IOException {
        authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        ExportTraceServiceRequest request;
        try (InputStream in = new GZIPInputStream(exchange.getRequestBody())) {
            request = ExportTraceServiceRequest.parseFrom(in);
        }
        int code = status;
        if (code == 200) {
            request.getResourceSpansList().forEach(this::keep);
        } else {
            refused.incrementAndGet();
        }
        if (code == SILENT) {
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        } else {
            exchange.sendResponseHeaders(code, -1);
        }
        exchange.close();
    }

    private void keep(ResourceSpans spans) {
        Map<String, String> resource = map(spans.getResource().getAttributesList());
        spans.getScopeSpansList()
                .forEach(scope -> scope.getSpansList()
                        .forEach(span -> taken.add(new Taken(
                                hex(span.getTraceId().toByteArray()),
                                hex(span.getSpanId().toByteArray()),
                                hex(span.getParentSpanId().toByteArray()),
                                span.getTraceState(),
                                span.getName(),
                                map(span.getAttributesList()),
                                resource,
                                span))));
    }

    private static Map<String, String> map(List<KeyValue> attributes) {
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

    /** All that was taken. */
    public List<Taken> taken() {
        return List.copyOf(taken);
    }

    /** Requests that were not taken. */
    public int refused() {
        return refused.get();
    }

    /** What requests showed. */
    public List<String> authorizations() {
        return List.copyOf(authorizations);
    }

    /** The span of an execution, once it is there. */
    public Taken awaitRoot(String execution) {
        return Await.value(
                "the span of execution " + execution,
                PATIENCE,
                () -> taken.stream()
                        .filter(span -> execution.equals(span.attributes().get("sallyport.execution.id")))
                        .findFirst());
    }

    /** A call's span, once it is there, as its execution's must be. */
    public Taken call(String execution, long ordinal) {
        awaitRoot(execution);
        return Await.value("the span of call " + ordinal, PATIENCE, () -> find(execution, ordinal));
    }

    private Optional<Taken> find(String execution, long ordinal) {
        return taken.stream()
                .filter(span ->
                        (execution + "/" + ordinal).equals(span.attributes().get("sallyport.call.id")))
                .findFirst();
    }

    @Override
    public void close() {
        over.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
