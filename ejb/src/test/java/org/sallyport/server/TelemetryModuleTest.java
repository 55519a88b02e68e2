package org.sallyport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.TelemetrySettings;

/** Valid trace settings, and invalid ones that stop the start. */
class TelemetryModuleTest {
    private static final String ENDPOINT = "sallyport.otel.endpoint";
    private static final String SECRET = "collector-token-0815";

    private static Configuration configuration(String... settings) {
        Map<String, String> properties = new HashMap<>();
        for (int i = 0; i < settings.length; i += 2) {
            properties.put(settings[i], settings[i + 1]);
        }
        return Configuration.read(properties, Map.of());
    }

    private static TelemetryModule telemetryModule(String... settings) {
        return new TelemetryModule(configuration(settings));
    }

    @Test
    void tracingIsDisabledWithoutAnEndpoint() {
        assertThat(telemetryModule().sampler().startTrace(UUID.randomUUID(), Optional.empty()))
                .isEmpty();
        assertThat(telemetryModule(ENDPOINT, "http://localhost:4318")
                        .sampler()
                        .startTrace(UUID.randomUUID(), Optional.empty()))
                .isPresent();
    }

    @ParameterizedTest
    @CsvSource({
        "https://collector:4318, https://collector:4318/v1/traces",
        "https://collector/, https://collector/v1/traces",
        "http://127.0.0.1:4318/otlp/v1/traces, http://127.0.0.1:4318/otlp/v1/traces",
        "'  http://[::1]:4318 ', http://[::1]:4318/v1/traces"
    })
    void endpointMayBeTheCollectorOrItsTracesPath(String given, String url) {
        telemetryModule(ENDPOINT, given);

        assertThat(configuration(ENDPOINT, given)
                        .get(TelemetrySettings.ENDPOINT)
                        .map(Object::toString))
                .contains(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "collector:4318",
                "ftp://collector",
                "https://",
                "https:///v1/traces",
                "https://user:password@collector",
                "https://collector/?key=1",
                "https://collector/#x",
                "https://colle ctor",
                "http://collector:4318",
                "http://10.0.0.1:4318",
                "http://127.0.0.1.example.org",
                "http://localhost.example.org",
                "http://[::ffff:7f00:1]x"
            })
    void invalidEndpointStopsTheStart(String endpoint) {
        assertThatThrownBy(() -> telemetryModule(ENDPOINT, endpoint))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining(ENDPOINT);
    }

    @Test
    void plaintextRemoteCollectorNeedsExplicitPermission() {
        telemetryModule(ENDPOINT, "http://collector:4318", "sallyport.otel.insecure", "true");
    }

    @ParameterizedTest
    @CsvSource({
        "sallyport.otel.ratio, 1.5",
        "sallyport.otel.ratio, -0.1",
        "sallyport.otel.ratio, NaN",
        "sallyport.otel.ratio, much",
        "sallyport.otel.max-batch, 0",
        "sallyport.otel.max-queue, 0",
        "sallyport.otel.timeout-millis, 1",
        "sallyport.otel.service-name, ''"
    })
    void invalidNumberStopsTheStart(String setting, String value) {
        assertThatThrownBy(() -> telemetryModule(ENDPOINT, "http://localhost", setting, value))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining(setting);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {SECRET, "=" + SECRET, "A b=" + SECRET, "Host=" + SECRET, "a=b," + SECRET, "a=" + SECRET + "\n"})
    void invalidHeaderStopsTheStartWithoutBeingShown(String headers) {
        if (headers.endsWith("\n")) {
            telemetryModule(
                    ENDPOINT, "http://localhost", "sallyport.otel.headers", headers); // only white space at the end
            return;
        }
        assertThatThrownBy(() -> telemetryModule(ENDPOINT, "http://localhost", "sallyport.otel.headers", headers))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("sallyport.otel.headers")
                .hasMessageNotContaining(SECRET);
    }

    @Test
    void headersCanComeFromAFile(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("headers"), "Authorization=Bearer a=b\n\nX-Scope=7\n");
        telemetryModule(ENDPOINT, "http://localhost", "sallyport.otel.headers-file", file.toString());

        assertThatThrownBy(() -> telemetryModule(
                        ENDPOINT, "http://localhost", "sallyport.otel.headers-file", directory.toString()))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("sallyport.otel.headers-file");
    }
}
