package org.sallyport.configuration;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Settings of trace export: the collector and its limits. */
public final class TelemetrySettings {
    private static final long MINUTE = 60_000;

    public static final Setting<Optional<URI>> ENDPOINT = new Setting<>(
            "sallyport.otel.endpoint",
            "URL",
            "",
            "Where traces are sent: an OpenTelemetry collector that takes OTLP over HTTP with protobuf, such as"
                    + " `https://collector:4318/v1/traces`; without a path it is `/v1/traces`. Empty: traces are not"
                    + " sent, and `traceparent` is neither read nor passed on.",
            false,
            TelemetrySettings::endpoint);
    public static final Setting<Boolean> INSECURE = Setting.flag(
            "sallyport.otel.insecure", false, "Whether traces may be sent to another machine without encryption.");
    public static final Setting<String> HEADERS = Setting.secret(
            "sallyport.otel.headers",
            "Headers of each request to the collector, such as `Authorization=Bearer …`, comma-separated. Wins over "
                    + "the file.");
    public static final Setting<String> HEADERS_FILE = Setting.text(
            "sallyport.otel.headers-file", "", "File with these headers, one `name=value` a line; read at the start.");
    public static final Setting<String> SERVICE_NAME = new Setting<>(
            "sallyport.otel.service-name",
            "text",
            "sallyport",
            "`service.name` of the traces.",
            false,
            TelemetrySettings::name);
    public static final Setting<Double> SAMPLING_RATIO = Setting.fraction(
            "sallyport.otel.ratio",
            "1",
            "Fraction of the traces that begin here that is sent. For other traces the caller's `traceparent`"
                    + " decides.");
    public static final Setting<Boolean> CAPTURE_ARGUMENTS = Setting.flag(
            "sallyport.otel.capture-arguments",
            false,
            "Whether arguments and results of tool calls are sent too: without secrets, the first 4,096 characters of "
                    + "each.");
    public static final Setting<Long> MAX_QUEUE = Setting.number(
            "sallyport.otel.max-queue",
            1,
            1_000_000,
            10_000,
            "Ended executions that a node queues for sending; more are read from the database later.");
    public static final Setting<Long> MAX_BATCH =
            Setting.number("sallyport.otel.max-batch", 1, 10_000, 512, "Spans in one request at most.");
    public static final Setting<Duration> REQUEST_TIMEOUT = Setting.millis(
            "sallyport.otel.timeout-millis", 100, MINUTE, 10_000, "How long one request to the collector may take.");
    public static final Setting<Duration> DROP_AFTER = Setting.millis(
            "sallyport.otel.drop-after-millis",
            0,
            24 * 60 * MINUTE,
            5 * MINUTE,
            "How long after its end an execution's spans are dropped if the collector does not accept them.");

    static final List<Setting<?>> ALL = List.of(
            ENDPOINT,
            INSECURE,
            HEADERS,
            HEADERS_FILE,
            SERVICE_NAME,
            SAMPLING_RATIO,
            CAPTURE_ARGUMENTS,
            MAX_QUEUE,
            MAX_BATCH,
            REQUEST_TIMEOUT,
            DROP_AFTER);

    private static final String DEFAULT_PATH = "/v1/traces";
    private static final int MAX_NAME_LENGTH = 255;

    private TelemetrySettings() {}

    private static Optional<URI> endpoint(String text) {
        if (text.isBlank()) {
            return Optional.empty();
        }
        URI uri;
        try {
            uri = URI.create(text.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("is no URL", e);
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("https") && !scheme.equals("http") || uri.getHost() == null) {
            throw new IllegalArgumentException("must be https://host/… or http://host/…");
        }
        if (uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    "must have no user, query or fragment; credentials go to sallyport.otel.headers");
        }
        boolean bare = uri.getRawPath() == null
                || uri.getRawPath().isEmpty()
                || uri.getRawPath().equals("/");
        return Optional.of(bare ? uri.resolve(DEFAULT_PATH) : uri);
    }

    private static String name(String text) {
        if (text.isBlank() || text.length() > MAX_NAME_LENGTH || text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "must be text of 1 to " + MAX_NAME_LENGTH + " characters without control characters");
        }
        return text;
    }
}
