package org.sallyport.wiring;

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
import org.sallyport.otlp.OtlpSender;
import org.sallyport.secret.Redaction;
import org.sallyport.store.Database;
import org.sallyport.store.JpaSpanStore;
import org.sallyport.telemetry.Parcels;
import org.sallyport.telemetry.SpanExport;
import org.sallyport.telemetry.SpanFigures;
import org.sallyport.tracecontext.Sampler;

/** What tells a collector of executions, if there is one to be told. */
final class TelemetryRooms {
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);
    private static final Duration LOST = Duration.ofSeconds(30);

    private final SpanFigures figures = new SpanFigures();
    private final Configuration configuration;
    private final Optional<URI> endpoint;
    private final Map<String, String> headers;

    /** Throws {@link InvalidConfigurationException} when traces cannot be sent so. */
    TelemetryRooms(Configuration configuration) {
        this.configuration = configuration;
        this.endpoint = configuration.get(TelemetrySettings.ENDPOINT);
        endpoint.ifPresent(this::check);
        this.headers = endpoint.isPresent() ? headers() : Map.of();
    }

    private void check(URI uri) {
        if (uri.getScheme().equalsIgnoreCase("http")
                && !isLoopback(uri.getHost())
                && !configuration.get(TelemetrySettings.INSECURE)) {
            throw fault(
                    TelemetrySettings.ENDPOINT,
                    "is another machine and the connection is not encrypted; use https, or set "
                            + TelemetrySettings.INSECURE.name() + "=true");
        }
    }

    /** By its text alone: what a name means may be another thing tomorrow. */
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
            throw fault(TelemetrySettings.HEADERS_FILE, "cannot be read: " + e.getMessage());
        }
    }

    /** What is wrong is told without what was given: it is secret. */
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
                throw fault(setting, "the header of number " + number + " is none: name=value is wanted");
            }
        }
        return headers;
    }

    private static InvalidConfigurationException fault(Setting<?> setting, String what) {
        return new InvalidConfigurationException(
                List.of(setting.name() + " (" + setting.environmentVariable() + "): " + what));
    }

    Sampler sampler() {
        return endpoint.isPresent() ? new Sampler(configuration.get(TelemetrySettings.RATIO)) : Sampler.OFF;
    }

    SpanFigures figures() {
        return figures;
    }

    /**
     * Begins to send.
     *
     * @return is to be told of executions that end
     */
    Consumer<ExecutionId> begin(
            Database database,
            Journal journal,
            Function<String, Redaction> redactions,
            String node,
            Threads threads,
            Shutdown shutdown) {
        if (endpoint.isEmpty()) {
            return id -> {};
        }
        Duration timeout = configuration.get(TelemetrySettings.TIMEOUT);
        OtlpSender sender = shutdown.closing(
                "sender of spans",
                new OtlpSender(
                        endpoint.get(),
                        headers,
                        timeout,
                        Map.of(
                                "service.name",
                                configuration.get(TelemetrySettings.SERVICE),
                                "service.instance.id",
                                node)));
        JpaSpanStore store = new JpaSpanStore(database);
        Parcels parcels = new Parcels(
                store,
                journal,
                sender,
                redactions,
                new Parcels.Content(
                        configuration.integer(TelemetrySettings.BATCH),
                        configuration.get(TelemetrySettings.VALUES),
                        timeout));
        SpanExport export = new SpanExport(
                store,
                parcels,
                new SpanExport.Bounds(
                        configuration.integer(TelemetrySettings.QUEUE),
                        configuration.get(TelemetrySettings.PATIENCE),
                        LOST),
                figures,
                System::nanoTime);
        shutdown.closing("last spans", () -> export.flush(LAST_WORDS));
        shutdown.closing("spans", new Repeating(threads, "sallyport-spans", export::look, PAUSE));
        return export::ended;
    }
}
