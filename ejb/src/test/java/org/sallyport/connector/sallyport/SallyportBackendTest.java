package org.sallyport.connector.sallyport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.VaultFixtures;
import org.sallyport.connector.http.SingleOriginHttpClient;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolResult;
import org.sallyport.tracecontext.TraceHeaders;

/** Calls to another installation that answers correctly or fails. */
class SallyportBackendTest {
    private static final CallId CALL = new CallId("0199f7a0-0000-7000-8000-000000000001", 3);
    private static final String TOOLS = """
            [{"name":"shop.buy","backend":"shop","tool":"buy","description":"Buys","inputSchema":{"type":"object"},
              "readOnly":false,"idempotent":false,"destructive":true},
             {"name":"shop.look","backend":"shop","tool":"look","description":"Looks","inputSchema":{"type":"object"},
              "outputSchema":{"type":"number"},"readOnly":true,"idempotent":true,"destructive":false}]""";

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final FakeInstallation installation = new FakeInstallation();
    private final List<String> states = new CopyOnWriteArrayList<>();
    private final List<List<ToolDefinition>> offers = new CopyOnWriteArrayList<>();
    private final List<BackendConnection> opened = new ArrayList<>();
    private volatile int hops;
    /** Offset of the test's clock. */
    private volatile Duration clockOffset = Duration.ZERO;

    private volatile CompletableFuture<Void> hopLookup = new CompletableFuture<>();

    SallyportBackendTest() throws IOException {
        installation.tools(TOOLS);
        hopLookup.complete(null);
    }

    @AfterEach
    void stop() {
        opened.forEach(BackendConnection::close);
        installation.close();
        executor.shutdownNow();
    }

    private SallyportBackendType backendType(SingleOriginHttpClient.HostResolver names) {
        return new SallyportBackendType(
                executor,
                VaultFixtures.NO_SECRETS,
                (tenant, call) -> {
                    hopLookup.join();
                    return hops;
                },
                () -> Instant.now().plus(clockOffset),
                names);
    }

    private BackendConnection open(String more) {
        return open(more, name -> new InetAddress[] {InetAddress.getLoopbackAddress()});
    }

    private BackendConnection open(String more, SingleOriginHttpClient.HostResolver names) {
        Json settings = new Json("{\"url\":\"http://other.example:" + installation.port() + "/\",\"key\":\""
                + FakeInstallation.KEY + "\",\"maxResponseBytes\":20000,\"refreshMillis\":1000" + more + "}");
        SallyportBackendType kind = backendType(names);
        kind.check(BackendSettings.of(settings));
        BackendConnection backend = kind.open(
                new BackendDefinition("shop", "sallyport", settings, true, BackendDefinition.BackendOrigin.API, "1"),
                new BackendConnection.ConnectionListener() {
                    @Override
                    public void onStateChanged(BackendState state, Optional<String> error) {
                        states.add(state + error.map(each -> ": " + each).orElse(""));
                    }

                    @Override
                    public void onToolsDeclared(List<ToolDefinition> tools) {
                        offers.add(tools);
                    }
                });
        opened.add(backend);
        backend.start();
        return backend;
    }

    private BackendConnection openReady() {
        BackendConnection backend = open(",\"allowPrivate\":true");
        await(() -> states.contains("READY"));
        return backend;
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static BackendConnection.BackendRequest call(String tool, long millis) {
        return new BackendConnection.BackendRequest(
                CALL,
                tool,
                new Json("{\"item\":\"tea \\\"x\\\"\",\"n\":1e2}"),
                true,
                "default",
                Instant.now().plusMillis(millis),
                TraceHeaders.of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=b"));
    }

    private static ToolResult callAndWait(BackendConnection backend, BackendConnection.BackendRequest call) {
        return backend.call(call)
                .toCompletableFuture()
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    private static ToolResult buy(BackendConnection backend) {
        return callAndWait(backend, call("shop.buy", 20_000));
    }

    private static ToolError error(ToolResult result) {
        return ((ToolResult.ToolFailure) result).error();
    }

    private static JsonNode body(String heard) throws IOException {
        return FakeInstallation.JSON.readTree(heard.substring(heard.indexOf('{')));
    }

    @Test
    void remoteToolsAreOfferedUnderTheSameNames() {
        openReady();
        assertThat(offers.get(0))
                .extracting(ToolDefinition::name, ToolDefinition::originalName, ToolDefinition::hints)
                .containsExactly(
                        tuple("buy", "shop.buy", ToolHints.DESTRUCTIVE),
                        tuple("look", "shop.look", ToolHints.READ_ONLY));
        assertThat(offers.get(0).get(1).outputSchema()).contains(new Json("{\"type\":\"number\"}"));
        assertThat(installation.requests("GET /api/v1/tools")).allMatch(asked -> asked.contains("?backend=shop "));
    }

    @Test
    void multipleNamespacesPrefixTheirToolsAndIncludeCapabilities() {
        installation.capabilities("""
                [{"name":"shop.refund","stable":"1.0.0"},{"name":"shop.beta","stable":null},{"name":"house.clean",\
                "stable":"1.0.0"}]""");
        open(",\"allowPrivate\":true,\"namespaces\":[\"shop\",\"capabilities.shop\"]");
        await(() -> states.contains("READY"));
        assertThat(offers.get(0))
                .extracting(ToolDefinition::name)
                .containsExactly("shop.buy", "shop.look", "capabilities.shop.refund");
    }

    @Test
    void callIsOneRemoteExecution() throws IOException {
        hops = 2;
        ToolResult result = buy(openReady());
        assertThat(result).isEqualTo(ToolResult.success(new Json("{\"n\":1.5}")));
        assertThat(installation.executions()).hasSize(1);
        JsonNode sent = body(installation.requests("POST /api/v1/executions").get(0));
        assertThat(FakeInstallation.JSON.readTree(sent.path("code").asText()))
                .isEqualTo(FakeInstallation.JSON.readTree(
                        "{\"tool\":\"shop.buy\",\"arguments\":{\"item\":\"tea \\\"x\\\"\",\"n\":1e2}}"));
        assertThat(sent.path("labels").toString())
                .isEqualTo("{\"sallyport.call\":\"" + CALL + "\",\"sallyport.hops\":\"3\"}");
        assertThat(sent.path("grants").toString()).isEqualTo("[\"shop.buy\"]");
        assertThat(sent.at("/limits/wallMillis").asLong()).isEqualTo(60_000);
    }

    @Test
    void capabilityIsRunByItsName() throws IOException {
        installation.capabilities("[{\"name\":\"shop.refund\",\"stable\":\"1.0.0\"}]");
        BackendConnection backend = open(",\"allowPrivate\":true,\"namespace\":\"capabilities.shop\"");
        await(() -> states.contains("READY"));
        assertThat(offers.get(0)).extracting(ToolDefinition::name).containsExactly("refund");
        callAndWait(backend, call("capabilities.shop.refund", 20_000));
        JsonNode sent = body(installation.requests("POST /api/v1/executions").get(0));
        assertThat(sent.path("capability").asText()).isEqualTo("shop.refund");
        assertThat(sent.path("args").path("n").asInt()).isEqualTo(100);
        assertThat(sent.has("code")).isFalse();
    }

    @Test
    void callTimeoutIgnoresClockChanges() {
        BackendConnection backend = openReady();
        hopLookup = new CompletableFuture<>();
        CompletionStage<ToolResult> coming = backend.call(call("shop.buy", 60_000));
        clockOffset = Duration.ofHours(1);
        hopLookup.complete(null);
        assertThat(coming.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join())
                .isInstanceOf(ToolResult.ToolSuccess.class);
    }

    @Test
    void lostResponseIsRequestedAgainWithoutRepeatingTheEffect() {
        BackendConnection backend = openReady();
        installation.enqueue(FakeInstallation.dropConnection(), FakeInstallation.dropConnection());
        assertThat(buy(backend)).isInstanceOf(ToolResult.ToolSuccess.class);
        assertThat(installation.requests("POST /api/v1/executions")).hasSize(3);
        assertThat(installation.executions()).hasSize(1);
    }

    @Test
    void slowExecutionIsPolledUntilItEnds() throws Exception {
        BackendConnection backend = openReady();
        installation.setExecution("{\"state\":\"WAITING\",\"waitingFor\":{\"reason\":\"approval\"}}");
        installation.enqueue(
                (other, exchange, body) -> false,
                FakeInstallation.respond(503, "{}"),
                FakeInstallation.dropConnection(),
                (other, exchange, body) -> {
                    other.setExecution("{\"state\":\"COMPLETED\",\"result\":7}");
                    return false;
                });
        CompletableFuture<ToolResult> coming =
                backend.call(call("shop.buy", 20_000)).toCompletableFuture();
        assertThat(coming.get(60, TimeUnit.SECONDS)).isEqualTo(ToolResult.success(new Json("7")));
        assertThat(installation.executions()).hasSize(1);
    }

    /** Applies {@code step} to the long polls among the requests that follow an execution. */
    private static FakeInstallation.ResponseStep[] forLongPolls(FakeInstallation.ResponseStep step) {
        FakeInstallation.ResponseStep[] all = new FakeInstallation.ResponseStep[100];
        Arrays.fill(all, (FakeInstallation.ResponseStep) (other, exchange, body) -> {
            String query = exchange.getRequestURI().getRawQuery();
            return query != null && query.contains("wait=") && step.tryAnswer(other, exchange, body);
        });
        return all;
    }

    private static FakeInstallation.ResponseStep completeThen(FakeInstallation.ResponseStep step) {
        return (other, exchange, body) -> {
            other.setExecution("{\"state\":\"COMPLETED\",\"result\":7}");
            return step.tryAnswer(other, exchange, body);
        };
    }

    @ParameterizedTest
    @CsvSource({"429,0", "429,3600", "403,0"})
    void endIsFoundByShortPollsWhenLongPollsAreRefused(int status, String pause) throws IOException {
        BackendConnection backend = openReady();
        installation.setExecution("{\"state\":\"RUNNING\"}");
        installation.enqueue(
                forLongPolls(completeThen(FakeInstallation.problem(status, "rate-limited", "Retry-After", pause))));
        assertThat(callAndWait(backend, call("shop.buy", 6_000))).isEqualTo(ToolResult.success(new Json("7")));
        assertThat(installation.requests("GET /api/v1/executions/"))
                .hasSize(2)
                .last()
                .asString()
                .doesNotContain("wait");
    }

    @Test
    void runningExecutionIsAwaitedUntilTheDeadline() throws IOException {
        BackendConnection backend = openReady();
        installation.setExecution("{\"state\":\"RUNNING\"}");
        installation.enqueue(forLongPolls(FakeInstallation.respond(400, "{}")));
        BackendConnection.BackendRequest call = call("shop.buy", 3_300);
        callAndWait(backend, call);
        assertThat(Instant.now()).isAfterOrEqualTo(call.deadline());
        assertThat(installation.requests(
                        "POST /api/v1/executions/" + installation.executionId(CALL.toString()) + "/cancel"))
                .hasSize(1);
    }

    @Test
    void progressOfARunningCallIsReported() throws Exception {
        BackendConnection backend = openReady();
        installation.setExecution("{\"state\":\"WAITING\",\"waitingFor\":{\"reason\":\"approval\"}}");
        CompletableFuture<ToolResult> coming =
                backend.call(call("shop.buy", 20_000)).toCompletableFuture();
        await(() -> backend.lastProgress(CALL).isPresent());
        assertThat(backend.lastProgress(CALL).orElseThrow()).contains("is WAITING (approval)");
        installation.setExecution("{\"state\":\"COMPLETED\",\"result\":7}");
        assertThat(coming.get(60, TimeUnit.SECONDS)).isEqualTo(ToolResult.success(new Json("7")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "shop.buy  | FAILED    | denied           | denied",
                "shop.buy  | FAILED    | not-granted      | not-granted",
                "shop.buy  | FAILED    | tool-failed      | tool-failed",
                "shop.buy  | FAILED    | outcome-unknown  | outcome-unknown",
                "shop.buy  | FAILED    | budget-exceeded  | budget-exceeded",
                "shop.buy  | FAILED    | runner-lost      | outcome-unknown",
                "shop.look | FAILED    | runner-lost      | backend-unavailable",
                "shop.buy  | FAILED    | result-too-large | too-large",
                "shop.buy  | FAILED    | of-another-time  | tool-failed",
                "shop.buy  | TIMED_OUT | wall-clock-limit | outcome-unknown",
                "shop.look | TIMED_OUT | wall-clock-limit | timeout",
                "shop.buy  | FAILED    | timeout          | outcome-unknown",
                "shop.look | FAILED    | timeout          | timeout",
                "shop.buy  | CANCELLED |                  | outcome-unknown",
                "shop.look | CANCELLED |                  | cancelled"
            })
    void remoteErrorMapsToALocalError(String tool, String state, String code, String expected) throws IOException {
        BackendConnection backend = openReady();
        ObjectNode end = FakeInstallation.JSON.createObjectNode().put("state", state);
        end.putObject("error")
                .put("code", code)
                .put("message", "rule no-tea: not at night")
                .put("call", 1);
        installation.setExecution(end.toString());
        ToolError error = error(callAndWait(backend, call(tool, 20_000)));
        assertThat(error.code().code()).isEqualTo(expected);
        if (state.equals("FAILED")) {
            assertThat(error.message()).contains("not at night");
            assertThat(error.details()).contains(new Json("{\"status\":418}"));
        }
    }

    @ParameterizedTest
    @CsvSource({"FAILED,runner-lost", "FAILED,timeout", "TIMED_OUT,wall-clock-limit", "CANCELLED,''"})
    void untrustedReadOnlyHintMakesFailureOutcomeUnknown(String state, String code) throws IOException {
        BackendConnection backend = openReady();
        installation.setExecution("{\"state\":\"" + state + "\",\"error\":{\"code\":\"" + code + "\"}}");
        BackendConnection.BackendRequest trusted = call("shop.look", 20_000);
        BackendConnection.BackendRequest call = new BackendConnection.BackendRequest(
                CALL, trusted.tool(), trusted.arguments(), false, trusted.tenant(), trusted.deadline());
        assertThat(error(callAndWait(backend, call)).code()).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void callToAnotherToolIsAnotherExecution() {
        BackendConnection backend = openReady();
        buy(backend);
        callAndWait(backend, call("shop.look", 20_000));
        assertThat(installation.executions()).hasSize(2);
        assertThat(installation.executions().keySet()).allMatch(key -> key.matches("[\\x21-\\x7e]{1,255}"));
    }

    @Test
    void idempotencyKeyIsBoundedForLongToolNames() {
        String name = "shop." + "ü".repeat(290);
        installation.tools("[{\"name\":\"" + name + "\",\"inputSchema\":{}}]");
        callAndWait(openReady(), call(name, 20_000));
        assertThat(installation.executions().keySet()).hasSize(1).allMatch(key -> key.matches("[\\x21-\\x7e]{1,255}"));
    }

    @Test
    void tooManyCapabilitiesDegradeTheBackendAndTheFirstStayCallable() throws IOException {
        installation.capabilities(IntStream.range(0, 501)
                .mapToObj(number -> "{\"name\":\"c.n" + (1_500 - number) + "\",\"stable\":\"1\"}")
                .collect(Collectors.joining(",", "[", "]")));
        BackendConnection backend = open(",\"allowPrivate\":true,\"namespace\":\"capabilities\"");
        await(() -> installation.requests("GET /api/v1/capabilities?").size() > 2);
        assertThat(states.get(0)).isEqualTo("STARTING");
        assertThat(states.subList(1, states.size()))
                .isNotEmpty()
                .allMatch(state -> state.startsWith("DEGRADED: it offers more than 500 capabilities"));
        assertThat(offers.get(0))
                .hasSize(500)
                .extracting(ToolDefinition::name)
                .contains("c.n1000", "c.n1499")
                .doesNotContain("c.n1500");
        assertThat(callAndWait(backend, call("capabilities.c.n1000", 20_000)))
                .isInstanceOf(ToolResult.ToolSuccess.class);
    }

    @Test
    void errorDetailsOfARemoteCapabilityFallbackAreReturned() throws IOException {
        BackendConnection backend = openReady();
        installation.endOfCalls("capability_end");
        installation.setExecution(
                "{\"state\":\"FAILED\",\"error\":{\"code\":\"tool-failed\",\"message\":\"no\",\"call\":1}}");
        assertThat(error(callAndWait(backend, call("shop.buy", 20_000))).details())
                .contains(new Json("{\"status\":418}"));
    }

    @ParameterizedTest
    @CsvSource({"FAILED,script-error", "TIMED_OUT,wall-clock-limit"})
    void failedRemoteCapabilityIsCapabilityFailed(String state, String code) throws IOException {
        installation.capabilities("[{\"name\":\"shop.refund\",\"stable\":\"1.0.0\"}]");
        BackendConnection backend = open(",\"allowPrivate\":true,\"namespace\":\"capabilities\"");
        await(() -> states.contains("READY"));
        installation.setExecution(
                "{\"state\":\"" + state + "\",\"error\":{\"code\":\"" + code + "\",\"message\":\"TypeError: x\"}}");
        ToolError error = error(callAndWait(backend, call("capabilities.shop.refund", 20_000)));
        assertThat(error.code()).isEqualTo(ToolErrorCode.CAPABILITY_FAILED);
        assertThat(error.details().orElseThrow().text())
                .contains("\"code\":\"" + code + "\"", "\"state\":\"" + state + "\"", "\"execution\":\"");
    }

    @ParameterizedTest
    @CsvSource({
        "401,unauthorized,backend-unavailable",
        "403,forbidden,denied",
        "404,not-found,tool-not-found",
        "413,payload-too-large,too-large",
        "422,invalid-arguments,invalid-arguments",
        "422,tools-missing,tools-missing",
        "422,sandbox-not-allowed,sandbox-not-allowed",
        "422,variables-not-set,variables-not-set",
        "422,syntax-error,tool-failed",
        "422,capability-cycle,tool-failed",
        "429,quota-exceeded,quota-exceeded",
        "302,moved,tool-failed"
    })
    void refusedSubmissionIsNotRetried(int status, String problem, String expected) {
        BackendConnection backend = openReady();
        installation.enqueue(FakeInstallation.problem(status, problem, "Location", installation.url() + "/elsewhere"));
        ToolError error = error(buy(backend));
        assertThat(error.code().code()).isEqualTo(expected);
        assertThat(installation.requests("POST /api/v1/executions")).hasSize(1);
        assertThat(installation.requests("GET /elsewhere")).isEmpty();
        assertThat(error.message()).doesNotContain(FakeInstallation.KEY);
    }

    @Test
    void refusalAfterALostResponseIsOutcomeUnknown() {
        BackendConnection backend = openReady();
        installation.enqueue(FakeInstallation.dropConnection(), FakeInstallation.problem(403, "forbidden"));
        assertThat(error(buy(backend)).code()).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void rateLimitedSubmissionIsRetriedAfterTheRequestedPause() {
        BackendConnection backend = openReady();
        installation.enqueue(FakeInstallation.problem(429, "rate-limited", "Retry-After", "1"));
        long begun = System.nanoTime();
        assertThat(buy(backend)).isInstanceOf(ToolResult.ToolSuccess.class);
        assertThat(System.nanoTime() - begun).isGreaterThan(900_000_000L);
    }

    @Test
    void pauseBeyondTheDeadlineIsNotWaited() {
        BackendConnection backend = openReady();
        installation.enqueue(FakeInstallation.problem(429, "queue-full", "Retry-After", "3600"));
        ToolError error = error(buy(backend));
        assertThat(error.code()).isEqualTo(ToolErrorCode.BACKEND_BUSY);
        assertThat(error.message()).contains("because of queue-full");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "no json", "[1]", "{}", "{\"id\":\"../../x\",\"state\":\"COMPLETED\"}", "{\"a\":1,\"a\":2}"})
    void malformedResponseIsOutcomeUnknown(String answer) {
        BackendConnection backend = openReady();
        installation.enqueue(FakeInstallation.respond(200, answer));
        assertThat(error(buy(backend)).code()).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(installation.requests("GET /api/v1/executions")).isEmpty();
    }

    @Test
    void oversizedResponseIsNotRead() {
        BackendConnection backend = openReady();
        installation.enqueue(FakeInstallation.respond(200, "[" + "1,".repeat(50_000) + "1]"));
        assertThat(error(buy(backend)).code()).isEqualTo(ToolErrorCode.TOO_LARGE);
    }

    @Test
    void oversizedToolListIsRefused() {
        installation.tools("[" + "1,".repeat(50_000) + "1]");
        open(",\"allowPrivate\":true");
        await(() -> states.stream().anyMatch(state -> state.startsWith("DOWN: it answers more than 20000 bytes")));
        assertThat(offers).isEmpty();
    }

    @Test
    void serverOfAnotherKindIsDown() {
        installation.tools("7");
        open(",\"allowPrivate\":true");
        await(() -> states.contains("DOWN: it does not answer like a Sallyport installation"));
    }

    @Test
    void backendIsDownWhileItsKeyIsRefused() {
        openReady();
        installation.acceptKey(false);
        await(() -> states.contains("DOWN: it does not accept the key"));
        states.clear();
        installation.acceptKey(true);
        await(() -> states.contains("READY"));
        assertThat(offers).hasSize(1);
    }

    @Test
    void remoteToolChangeIsNoticed() {
        openReady();
        installation.tools("[]");
        await(() -> offers.size() == 2);
        assertThat(offers.get(1)).isEmpty();
    }

    @Test
    void unreachableInstallationIsBackendUnavailable() {
        BackendConnection backend = openReady();
        installation.close();
        assertThat(error(buy(backend)).code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
    }

    @Test
    void unconfirmedSubmissionIsOutcomeUnknownBeforeTheDeadline() {
        BackendConnection backend = openReady();
        FakeInstallation.ResponseStep[] all = new FakeInstallation.ResponseStep[100];
        Arrays.fill(all, FakeInstallation.dropConnection());
        installation.enqueue(all);
        assertThat(error(callAndWait(backend, call("shop.buy", 4_000))).code())
                .isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(installation.executions()).hasSize(1);
    }

    @Test
    void repeatedSubmissionIsIdenticalRegardlessOfTheTimeLeft() {
        callAndWait(openReady(), call("shop.buy", 20_000));
        states.clear();
        callAndWait(openReady(), call("shop.buy", 25_000));
        assertThat(installation.requests("POST /api/v1/executions").stream().distinct())
                .hasSize(1);
        assertThat(installation.executions()).hasSize(1);
    }

    @Test
    void idempotencyConflictIsOutcomeUnknown() {
        BackendConnection backend = openReady();
        installation.enqueue(FakeInstallation.problem(422, "idempotency-conflict"));
        assertThat(error(buy(backend)).code()).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void stricterRemoteLimitsAreRespected() throws IOException {
        BackendConnection backend = openReady();
        installation.enqueue(
                FakeInstallation.respond(
                        400, "{\"type\":\"urn:sallyport:problem:validation\",\"member\":\"Prefer: wait\"}"),
                FakeInstallation.respond(
                        400, "{\"type\":\"urn:sallyport:problem:validation\",\"member\":\"limits.wallMillis\"}"));
        assertThat(buy(backend)).isInstanceOf(ToolResult.ToolSuccess.class);
        assertThat(body(installation.requests("POST /api/v1/executions").get(2)).has("limits"))
                .isFalse();
    }

    @Test
    void cancelIsForwarded() throws Exception {
        BackendConnection backend = openReady();
        installation.setExecution("{\"state\":\"RUNNING\"}");
        CompletableFuture<ToolResult> coming =
                backend.call(call("shop.buy", 20_000)).toCompletableFuture();
        await(() -> backend.lastProgress(CALL).isPresent());
        backend.cancel(CALL);
        assertThat(error(coming.get(60, TimeUnit.SECONDS)).code()).isEqualTo(ToolErrorCode.CANCELLED);
        String id = installation.executionId(CALL.toString());
        assertThat(installation.requests("POST /api/v1/executions/" + id + "/cancel"))
                .hasSize(1);
    }

    @Test
    void failedCancelIsRetried() throws Exception {
        BackendConnection backend = openReady();
        installation.setExecution("{\"state\":\"RUNNING\"}");
        installation.enqueueCancels(FakeInstallation.problem(429, "rate-limited"), FakeInstallation.dropConnection());
        CompletableFuture<ToolResult> coming =
                backend.call(call("shop.buy", 20_000)).toCompletableFuture();
        await(() -> backend.lastProgress(CALL).isPresent());
        backend.cancel(CALL);
        coming.get(60, TimeUnit.SECONDS);
        assertThat(installation.requests(
                        "POST /api/v1/executions/" + installation.executionId(CALL.toString()) + "/cancel"))
                .hasSize(3);
    }

    @Test
    void cancelOfAnEndedExecutionIsSentOnce() throws Exception {
        BackendConnection backend = openReady();
        installation.setExecution("{\"state\":\"RUNNING\"}");
        installation.enqueueCancels(FakeInstallation.problem(409, "conflict"));
        CompletableFuture<ToolResult> coming =
                backend.call(call("shop.buy", 20_000)).toCompletableFuture();
        await(() -> backend.lastProgress(CALL).isPresent());
        backend.cancel(CALL);
        coming.get(60, TimeUnit.SECONDS);
        assertThat(installation.requests(
                        "POST /api/v1/executions/" + installation.executionId(CALL.toString()) + "/cancel"))
                .hasSize(1);
    }

    @Test
    void cancelReachesAnUnansweredSubmission() throws Exception {
        BackendConnection backend = openReady();
        installation.setExecution("{\"state\":\"RUNNING\"}");
        CompletableFuture<Void> heard = new CompletableFuture<>();
        CompletableFuture<Void> release = new CompletableFuture<>();
        installation.enqueue((other, exchange, body) -> {
            heard.complete(null);
            release.join();
            return false;
        });
        CompletableFuture<ToolResult> coming =
                backend.call(call("shop.buy", 20_000)).toCompletableFuture();
        heard.get(60, TimeUnit.SECONDS);
        backend.cancel(CALL);
        release.complete(null);
        assertThat(error(coming.get(60, TimeUnit.SECONDS)).code()).isEqualTo(ToolErrorCode.CANCELLED);
        String id = installation.executionId(CALL.toString());
        assertThat(installation.requests("POST /api/v1/executions/" + id + "/cancel"))
                .hasSize(1);
    }

    @Test
    void callCancelledBeforeSendingIsNeverSent() throws Exception {
        BackendConnection backend = openReady();
        CompletableFuture<Void> come = new CompletableFuture<>();
        hopLookup = come;
        CompletableFuture<ToolResult> coming =
                backend.call(call("shop.buy", 20_000)).toCompletableFuture();
        backend.cancel(CALL);
        come.complete(null);
        assertThat(error(coming.get(60, TimeUnit.SECONDS)).code()).isEqualTo(ToolErrorCode.CANCELLED);
        assertThat(installation.requests("POST")).isEmpty();
        assertThat(installation.requests("GET /api/v1/executions")).isEmpty();
    }

    @Test
    void withdrawnCallThatWasNotSentIsKnownNotToHaveHappened() throws Exception {
        BackendConnection backend = openReady();
        CompletableFuture<Void> come = new CompletableFuture<>();
        hopLookup = come;
        CompletableFuture<ToolResult> coming =
                backend.call(call("shop.buy", 20_000)).toCompletableFuture();
        assertThat(backend.withdraw(CALL).toCompletableFuture()).isCompletedWithValue(true);
        come.complete(null);
        assertThat(error(coming.get(60, TimeUnit.SECONDS)).code()).isEqualTo(ToolErrorCode.CANCELLED);
        assertThat(installation.requests("POST")).isEmpty();
        assertThat(backend.withdraw(CALL).toCompletableFuture())
                .as("a call that has ended")
                .isCompletedWithValue(false);
    }

    @Test
    void withdrawnCallThatWasAcceptedMayHaveItsEffect() throws Exception {
        BackendConnection backend = openReady();
        installation.setExecution("{\"state\":\"RUNNING\"}");
        CompletableFuture<ToolResult> coming =
                backend.call(call("shop.buy", 20_000)).toCompletableFuture();
        await(() -> backend.lastProgress(CALL).isPresent());
        assertThat(backend.withdraw(CALL).toCompletableFuture().get(60, TimeUnit.SECONDS))
                .isFalse();
        coming.get(60, TimeUnit.SECONDS);
        String id = installation.executionId(CALL.toString());
        assertThat(installation.requests("POST /api/v1/executions/" + id + "/cancel"))
                .hasSize(1);
    }

    @Test
    void callOfABackendClosedBeforeSendingIsNeverSent() throws Exception {
        BackendConnection backend = openReady();
        CompletableFuture<Void> come = new CompletableFuture<>();
        hopLookup = come;
        CompletableFuture<ToolResult> coming =
                backend.call(call("shop.buy", 20_000)).toCompletableFuture();
        backend.close();
        come.complete(null);
        assertThat(error(coming.get(60, TimeUnit.SECONDS)).code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(installation.requests("POST")).isEmpty();
    }

    @Test
    void callExpiredBeforeSendingIsNeverSent() throws Exception {
        BackendConnection backend = openReady();
        CompletableFuture<Void> come = new CompletableFuture<>();
        hopLookup = come;
        BackendConnection.BackendRequest late = call("shop.buy", 1);
        CompletableFuture<ToolResult> coming = backend.call(late).toCompletableFuture();
        await(() -> Instant.now().isAfter(late.deadline()));
        come.complete(null);
        assertThat(error(coming.get(60, TimeUnit.SECONDS)).message()).contains("was not sent");
        assertThat(installation.requests("POST")).isEmpty();
    }

    @Test
    void backendUnavailableErrorStillAcknowledgesTheCall() throws IOException {
        BackendConnection backend = openReady();
        AtomicInteger taken = new AtomicInteger();
        BackendConnection.BackendRequest plain = call("shop.buy", 20_000);
        BackendConnection.BackendRequest call = new BackendConnection.BackendRequest(
                CALL,
                plain.tool(),
                plain.arguments(),
                true,
                plain.tenant(),
                plain.deadline(),
                plain.trace(),
                taken::incrementAndGet);
        installation.enqueue(FakeInstallation.problem(401, "unauthorized"));
        assertThat(error(callAndWait(backend, call)).code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(taken).hasValue(0);
        installation.setExecution("{\"state\":\"FAILED\",\"error\":{\"code\":\"backend-unavailable\"}}");
        assertThat(error(callAndWait(backend, call)).code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(taken).hasPositiveValue();
    }

    @Test
    void callBeyondTheHopLimitIsRefused() {
        BackendConnection backend = openReady();
        hops = 4;
        ToolError error = error(buy(backend));
        assertThat(error.code()).isEqualTo(ToolErrorCode.CALL_LIMIT);
        assertThat(error.message()).contains("5 times", "4 are allowed", "maxHops");
        assertThat(installation.requests("POST /api/v1/executions")).isEmpty();
    }

    @Test
    void closeDoesNotCancelRemoteExecutions() throws Exception {
        BackendConnection backend = openReady();
        installation.setExecution("{\"state\":\"RUNNING\"}");
        CompletableFuture<ToolResult> coming =
                backend.call(call("shop.buy", 20_000)).toCompletableFuture();
        await(() -> backend.lastProgress(CALL).isPresent());
        backend.close();
        assertThat(error(coming.get(60, TimeUnit.SECONDS)).code()).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(installation.requests("POST /api/v1/executions/")).isEmpty();
    }

    @Test
    void privateAddressNeedsExplicitPermission() {
        open("");
        await(() -> states.stream().anyMatch(state -> state.startsWith("DOWN: ") && state.contains("not public")));
        assertThat(installation.requests("GET")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"key\":\"k\"}                                                             | settings.url",
                "{\"url\":\"ftp://x\",\"key\":\"k\"}                                         | settings.url",
                "{\"url\":\"http://u@x\",\"key\":\"k\"}                                      | settings.url",
                "{\"url\":\"http://x/?a\",\"key\":\"k\"}                                     | settings.url",
                "{\"url\":\"http://2130706433\",\"key\":\"k\"}                               | settings.url",
                "{\"url\":\"http://x\"}                                                      | settings.key",
                "{\"url\":\"http://x\",\"key\":\"env:HOME\"}                                 | settings.key",
                "{\"url\":\"http://x\",\"key\":\"***\"}                                      | settings.key",
                "{\"url\":\"http://x\",\"key\":\"k\",\"maxHops\":0}                          | settings.maxHops",
                "{\"url\":\"http://x\",\"key\":\"k\",\"namespace\":\"a.b\"}                  | settings.namespace",
                "{\"url\":\"http://x\",\"key\":\"k\",\"namespaces\":[\"a\",\"a\"]}           | settings.namespaces",
                "{\"url\":\"http://x\",\"key\":\"k\",\"namespaces\":[\"*\"]}                 | settings.namespaces",
                "{\"url\":\"http://x\",\"key\":\"k\",\"namespace\":\"a\",\"namespaces\":[\"b\"]} | settings.namespaces",
                "{\"url\":\"http://x\",\"key\":\"k\",\"token\":\"t\"}                        | settings.token"
            })
    void invalidSettingIsNamed(String settings, String member) {
        assertThatThrownBy(() -> backendType(InetAddress::getAllByName).check(BackendSettings.of(new Json(settings))))
                .isInstanceOfSatisfying(
                        InvalidBackendException.class,
                        refused -> assertThat(refused.member()).isEqualTo(member));
    }
}
