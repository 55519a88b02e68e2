package org.sallyport.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.Setting;
import org.sallyport.configuration.TelemetrySettings;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.Journal;
import org.sallyport.otlp.OtlpSpanSender;
import org.sallyport.redaction.Redactor;
import org.sallyport.store.jpa.Database;
import org.sallyport.store.jpa.JpaSpanOutbox;
import org.sallyport.telemetry.SpanBatcher;
import org.sallyport.telemetry.SpanExportMetrics;
import org.sallyport.telemetry.SpanExporter;
import org.sallyport.tracecontext.TraceSampler;

/** Exports spans of executions to a collector, if one is configured. */
final class TelemetryModule {
    private static final Duration EXPORT_INTERVAL = Duration.ofMillis(200);
    private static final Duration FINAL_FLUSH_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LOST = Duration.ofSeconds(30);

    private final SpanExportMetrics metrics = new SpanExportMetrics();
    private final Configuration configuration;
    private final Optional<URI> endpoint;
    private final Map<String, String> headers;

    /** Throws {@link InvalidConfigurationException} when the settings for exporting traces are invalid. */
    TelemetryModule(Configuration configuration) {
        this.configuration = configuration;
        this.endpoint = configuration.get(TelemetrySettings.ENDPOINT);
        endpoint.ifPresent(this::check);
        this.headers = endpoint.isPresent() ? headers() : Map.of();
    }

    private void check(URI uri) {
        if (uri.getScheme().equalsIgnoreCase("http")
                && !isLoopback(uri.getHost())
                && !configuration.get(TelemetrySettings.INSECURE)) {
            throw invalidSetting(
                    TelemetrySettings.ENDPOINT,
                    "is another machine and the connection is not encrypted; use https, or set "
                            + TelemetrySettings.INSECURE.name() + "=true");
        }
    }

    /** Compares the text only: a host name may resolve to another address later. */
    private static boolean isLoopback(String host) {
        return host.toLowerCase(Locale.ROOT).equals("localhost")
                || host.equals("[::1]")
                || host.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
    }

    private Map<String, String> headers() {
        String given = configuration.get(TelemetrySettings.HEADERS);
        String file = configuration.get(TelemetrySettings.HEADERS_FILE);
        if (!given.isBlank()) {
            return headers(TelemetrySettings.HEADERS, List.of(given.split(",", -1)));
        } else if (file.isBlank()) {
            return Map.of();
        }
        try {
            return headers(TelemetrySettings.HEADERS_FILE, Files.readAllLines(Path.of(file)));
        } catch (IOException e) {
            throw invalidSetting(TelemetrySettings.HEADERS_FILE, "cannot be read: " + e.getMessage());
        }
    }

    /** Error messages do not contain the configured values, because they are secret. */
    private static Map<String, String> headers(Setting<?> setting, List<String> lines) {
        Map<String, String> headers = new LinkedHashMap<>();
        int number = 0;
        for (String line : lines) {
            number++;
            int equals = line.indexOf('=');
            if (line.isBlank()) {
                continue;
            }
            String name = equals < 0 ? "" : line.substring(0, equals).strip();
            try {
                String value = line.substring(equals + 1).strip();
                HttpRequest.newBuilder().header(name, value);
                headers.put(name, value);
            } catch (IllegalArgumentException e) {
                throw invalidSetting(setting, "header number " + number + " must have the form name=value");
            }
        }
        return headers;
    }

    private static InvalidConfigurationException invalidSetting(Setting<?> setting, String what) {
        return new InvalidConfigurationException(
                List.of(setting.name() + " (" + setting.environmentVariable() + "): " + what));
    }

    TraceSampler sampler() {
        return endpoint.isPresent()
                ? new TraceSampler(configuration.get(TelemetrySettings.SAMPLING_RATIO))
                : TraceSampler.OFF;
    }

    SpanExportMetrics metrics() {
        return metrics;
    }

    /**
     * Starts exporting.
     *
     * @return receives the executions that end
     */
    Consumer<ExecutionId> startExport(
            Database database,
            Journal journal,
            Function<String, Redactor> redactions,
            String node,
            ServerExecutors threads,
            ShutdownSequence shutdown) {
        if (endpoint.isEmpty()) {
            return id -> {};
        }
        Duration timeout = configuration.get(TelemetrySettings.REQUEST_TIMEOUT);
        OtlpSpanSender sender = shutdown.register(
                "sender of spans",
                new OtlpSpanSender(
                        endpoint.get(),
                        headers,
                        timeout,
                        Map.of(
                                "service.name",
                                configuration.get(TelemetrySettings.SERVICE_NAME),
                                "service.instance.id",
                                node)));
        JpaSpanOutbox store = new JpaSpanOutbox(database);
        SpanBatcher parcels = new SpanBatcher(
                store,
                journal,
                sender,
                redactions,
                new SpanBatcher.SpanBatchSettings(
                        configuration.getInt(TelemetrySettings.MAX_BATCH),
                        configuration.get(TelemetrySettings.CAPTURE_ARGUMENTS),
                        timeout));
        SpanExporter export = new SpanExporter(
                store,
                parcels,
                new SpanExporter.SpanExportLimits(
                        configuration.getInt(TelemetrySettings.MAX_QUEUE),
                        configuration.get(TelemetrySettings.DROP_AFTER),
                        LOST),
                metrics,
                System::nanoTime);
        shutdown.register("last spans", () -> export.flush(FINAL_FLUSH_TIMEOUT));
        shutdown.register("spans", new PeriodicTask(threads, "sallyport-spans", export::poll, EXPORT_INTERVAL));
        return export::onEnded;
    }
}
