package org.sallyport.otlp;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.exporter.internal.FailedExportException;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.HttpResponse;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Sends OTLP over HTTP with protobuf bodies. Sends each request once; the caller decides about retries. Follows no
 * redirects, so that headers reach no other host. Thread-safe.
 */
public final class OtlpSpanSender implements SpanSender {
    private static final long CLOSE_MILLIS = 1_000;

    /** Statuses that the OTLP specification defines as retryable. */
    private static final Set<Integer> RETRYABLE_STATUSES = Set.of(429, 502, 503, 504);

    private static final String SDK_EXPORTERS =
            FailedExportException.class.getPackageName().replace(".internal", "");

    /**
     * Its unlimited messages repeat the results that callers receive. Referenced, because the logging system discards
     * unreferenced loggers.
     */
    private static final Logger SDK_LOGGER = Logger.getLogger(SDK_EXPORTERS);

    static {
        SDK_LOGGER.setLevel(Level.OFF);
    }

    private final OtlpHttpSpanExporter exporter;
    private final Resource resource;

    /**
     * @param endpoint full trace URL of the collector, such as {@code http://127.0.0.1:4318/v1/traces}
     * @param headers headers of each request
     * @param timeout total timeout of a request
     * @param resource attributes of the sender: {@code service.name} and others
     */
    public OtlpSpanSender(URI endpoint, Map<String, String> headers, Duration timeout, Map<String, String> resource) {
        var builder = OtlpHttpSpanExporter.builder()
                .setEndpoint(endpoint.toString())
                .setTimeout(timeout)
                .setConnectTimeout(timeout)
                .setCompression("gzip")
                .setRetryPolicy(null)
                .setMeterProvider(MeterProvider::noop);
        headers.forEach(builder::addHeader);
        this.exporter = builder.build();
        var attributes = Attributes.builder();
        resource.forEach(attributes::put);
        this.resource = Resource.create(attributes.build());
    }

    @Override
    public CompletionStage<ExportResult> send(List<FinishedSpan> spans) {
        CompletableFuture<ExportResult> verdict = new CompletableFuture<>();
        try {
            List<SpanData> data = spans.stream()
                    .<SpanData>map(span -> new FinishedSpanData(span, resource))
                    .toList();
            CompletableResultCode result = exporter.export(data);
            result.whenComplete(() -> verdict.complete(
                    result.isSuccess() ? ExportResult.SUCCESS : toFailure(result.getFailureThrowable())));
        } catch (RuntimeException e) {
            verdict.complete(new ExportResult(ExportOutcome.REFUSED, "they could not be encoded: " + e));
        }
        return verdict;
    }

    /**
     * Returns the result of a failed export. The caller may retry after a status of {@link #RETRYABLE_STATUSES} or a
     * failed connection. Any other status means that the spans or the settings of this sender are wrong, so a retry
     * would fail, too.
     */
    private static ExportResult toFailure(@Nullable Throwable failure) {
        HttpResponse response =
                failure instanceof FailedExportException.HttpExportException http ? http.getResponse() : null;
        if (response != null) {
            int status = response.getStatusCode();
            return new ExportResult(
                    RETRYABLE_STATUSES.contains(status) ? ExportOutcome.AGAIN : ExportOutcome.REFUSED,
                    "it answered " + status);
        }
        Throwable cause = failure != null && failure.getCause() != null ? failure.getCause() : failure;
        return new ExportResult(ExportOutcome.AGAIN, cause == null ? "it was not taken" : describe(cause));
    }

    private static String describe(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    @Override
    public void close() {
        exporter.shutdown().join(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    }
}
