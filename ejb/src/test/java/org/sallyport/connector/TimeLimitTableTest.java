package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.AssignedToolName;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/**
 * The results of calls that are not answered in time, for each kind of backend: the tables under "Time limits" in
 * {@code docs/backends.md}. The connections are real, and only the time of the limits is moved by the test.
 */
class TimeLimitTableTest {
    private static final Duration LONG_DEADLINE = Duration.ofHours(10);
    private static final Duration SHORT_DEADLINE = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    private final ManualScheduler time = new ManualScheduler();

    @AfterEach
    void end() {
        time.shutdownNow();
    }

    private ManagedBackend backend(SilentBackendFixture silent) {
        Json settings = new Json(SilentBackendFixture.settings().toString());
        ManagedBackend backend = new ManagedBackend(
                new BackendDefinition(
                        SilentBackendFixture.NAME, "any", settings, true, BackendDefinition.BackendOrigin.FILE, "1"),
                CallSettings.of(BackendSettings.of(settings)).withTrustedHints(),
                silent.connection(),
                InstantSource.system(),
                time,
                silent.executor());
        backend.tools(silent.tools().stream()
                .map(tool -> PinnedToolDefinition.firstSeen(new AssignedToolName(tool.name(), tool.name()), tool))
                .toList());
        backend.updateState(BackendState.READY, Optional.empty());
        return backend;
    }

    private static CompletableFuture<Connector.ConnectorCallResult> start(
            ManagedBackend backend, long ordinal, String tool, Duration limit) {
        return backend.callWithRetry(new ToolCall(
                        new CallId("e", ordinal),
                        "default",
                        new ToolName(SilentBackendFixture.NAME, tool),
                        Json.EMPTY_OBJECT,
                        Instant.now().plus(limit)))
                .toCompletableFuture();
    }

    private static ToolErrorCode code(CompletableFuture<Connector.ConnectorCallResult> call) throws Exception {
        ToolResult result = call.get(60, TimeUnit.SECONDS).result();
        if (result instanceof ToolResult.ToolFailure failure) {
            return failure.error().code();
        }
        throw new AssertionError(result);
    }

    /** A call that may have had its effect is never one that may be made again. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "java              | post | OUTCOME_UNKNOWN",
                "java              | put  | TIMEOUT",
                "http              | post | OUTCOME_UNKNOWN",
                "http              | put  | TIMEOUT",
                "mcp-http          | post | OUTCOME_UNKNOWN",
                "mcp-http          | put  | TIMEOUT",
                "mcp-stdio         | post | OUTCOME_UNKNOWN",
                "mcp-stdio         | put  | TIMEOUT",
                "sallyport         | post | OUTCOME_UNKNOWN",
                "sallyport         | put  | TIMEOUT",
                "external          | post | OUTCOME_UNKNOWN",
                "external          | put  | TIMEOUT",
                "external (queued) | post | TIMEOUT",
                "sql               | call | OUTCOME_UNKNOWN",
                "sql               | post | TIMEOUT",
                "sql               | put  | TIMEOUT",
            })
    void sentCallEndsAsWhatIsKnownOfItsEffect(String kind, String tool, ToolErrorCode expected) throws Exception {
        try (SilentBackendFixture silent = new SilentBackendFixture(kind, directory)) {
            CompletableFuture<Connector.ConnectorCallResult> call = start(backend(silent), 1, tool, LONG_DEADLINE);
            silent.awaitCall();
            assertThat(call).isNotDone();

            time.advance(SilentBackendFixture.TIMEOUT_MILLIS);

            assertThat(code(call)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"java", "http", "mcp-http", "mcp-stdio", "sallyport", "external", "sql"})
    void callThatWaitsForItsTurnIsATimeout(String kind) throws Exception {
        try (SilentBackendFixture silent = new SilentBackendFixture(kind, directory)) {
            ManagedBackend backend = backend(silent);
            CompletableFuture<Connector.ConnectorCallResult> sent = start(backend, 1, "post", LONG_DEADLINE);
            silent.awaitCall();
            CompletableFuture<Connector.ConnectorCallResult> waiting = start(backend, 2, "post", SHORT_DEADLINE);

            time.advance(SHORT_DEADLINE.toMillis());

            assertThat(code(waiting)).isEqualTo(ToolErrorCode.TIMEOUT);
            assertThat(waiting.join().attempts()).isZero();
            assertThat(sent).isNotDone();
        }
    }
}
