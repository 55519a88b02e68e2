package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.RawHttpConnection;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.ServerWithExternalServices;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestCertificateAuthority;
import org.sallyport.it.harness.TimingCalibration;
import org.sallyport.testsupport.CertificateFiles;
import org.sallyport.testsupport.TimingAssertions;

/** The same build, configured by settings alone to use PostgreSQL and an external broker, and to serve TLS. */
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExternalServicesIT {
    /** Twice the promised two seconds, as an allowance for a busy machine. */
    private static final Duration MAX_LATENCY = Duration.ofSeconds(4);

    private static final Duration RECOVERY_TIMEOUT = Duration.ofSeconds(120);

    private final TestCertificateAuthority authority = new TestCertificateAuthority("Test Root");
    private final ServerWithExternalServices services = ServerWithExternalServices.launch(tlsSetup(authority));
    private RestClient api = client(authority);
    private Duration maxLatency = Duration.ZERO;

    private static ServerSetup tlsSetup(TestCertificateAuthority authority) {
        CertificateFiles files = authority.issue("CN=external", "dns:localhost", "ip:127.0.0.1");
        return ServerSetup.create("external")
                .with("sallyport.tls.mode", "tls")
                .with("sallyport.tls.certificate", files.certificate().toString())
                .with("sallyport.tls.key", files.key().toString());
    }

    private RestClient client(TestCertificateAuthority trusted) {
        return new RestClient(
                trusted.clientContext(Optional.empty()), services.server().url(), Optional.empty());
    }

    @BeforeAll
    void warmUp() {
        services.server().awaitReady(api);
        api = api.withKey(services.server().adminKey());
        assertThat(state(api.run(SubmissionBody.javascript("return demo.add({ a: 1, b: 2 });"))))
                .isEqualTo("COMPLETED");
    }

    @AfterAll
    void end() {
        services.close();
        authority.close();
    }

    @Test
    void clientThatTrustsAnotherAuthorityRejectsTheServer() {
        try (TestCertificateAuthority other = new TestCertificateAuthority("Another Root")) {
            assertThatThrownBy(() -> client(other).get("/health/ready"))
                    .hasRootCauseInstanceOf(CertPathBuilderException.class);
        }
    }

    @Test
    void plainHttpGetsNoResponse() {
        try (RawHttpConnection client = new RawHttpConnection(services.server().url())) {
            client.send(RawHttpConnection.getRequest("/health/ready", "none"));
            assertThat(client.drain(1_024, Duration.ZERO, Duration.ofSeconds(20)))
                    .isLessThan(64);
        }
    }

    @Test
    void firstExampleGivesResultOutputAndTrace() {
        JsonNode execution = api.run(readExample("hello.ts").args("{\"name\": \"Ada\"}"));

        assertThat(state(execution)).describedAs(execution.toString()).isEqualTo("COMPLETED");
        assertThat(execution.path("result").path("greeting").asText()).isEqualTo("Hello, Ada!");
        assertThat(execution.path("result").path("sum").asInt()).isEqualTo(42);
        assertThat(execution.path("result").path("slow").asText()).isEqualTo("worth the wait");
        assertThat(execution.path("output").asText()).isEqualTo("Hello, Ada!\n19 + 23 = 42\n");
        assertThat(execution.path("errorOutput").asText()).isEqualTo("This line goes to standard error.\n");
        List<JsonNode> trace = api.getTrace(id(execution));
        assertThat(trace.stream().map(event -> event.path("seq").asLong()))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, trace.size()).boxed().toList());
        assertThat(calledTools(trace, "tool_start"))
                .isEqualTo(calledTools(trace, "tool_end"))
                .containsExactly("demo.add", "demo.clock", "demo.slow");
        assertThat(api.get(RestClient.EXECUTIONS + "/" + id(execution) + "/code")
                        .expectStatus(200)
                        .text())
                .contains("worth the wait");
    }

    @Test
    void exampleWithOverlappingCallsRuns() {
        JsonNode execution = api.run(readExample("parallel.ts").args("{\"calls\": 12, \"atOnce\": 4}"));

        assertThat(execution.path("result"))
                .describedAs(execution.toString())
                .extracting(JsonNode::asInt)
                .containsExactlyElementsOf(IntStream.range(0, 12).boxed().toList());
        assertThat(calledTools(api.getTrace(id(execution)), "tool_end")).hasSize(12);
    }

    @Test
    void serverDirectoryHoldsNoDatabaseOrBrokerData() throws IOException {
        JsonNode execution = api.run(readExample("notes.ts"));

        assertThat(state(execution)).describedAs(execution.toString()).isEqualTo("COMPLETED");
        assertThat(services.database()
                        .queryText("select state from execution where id = cast(? as uuid)", id(execution)))
                .isEqualTo("COMPLETED");
        try (var files = Files.list(services.server().dataDirectory())) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .contains("admin.key")
                    .noneMatch(name -> name.equals("broker") || name.endsWith(".mv.db"));
        }
    }

    @Test
    void executionsAcceptedDuringABrokerOutageRunAfterIt() {
        String counter = UUID.randomUUID().toString();
        SubmissionBody counting = SubmissionBody.javascript("return demo.counter_increment({ name: args });")
                .args("\"" + counter + "\"");
        TimingCalibration pace = startCalibration();
        services.broker().kill();

        // Sends several, because the first one may still get a connection that has not yet noticed the broker's death.
        List<String> ids = IntStream.range(0, 20)
                .mapToObj(i -> measure(() -> api.post(RestClient.EXECUTIONS, counting.json())))
                .map(answer -> answer.expectStatus(202).json().path("id").asText())
                .toList();

        ids.forEach(id -> assertThat(state(api.getExecution(id))).isEqualTo("PENDING"));
        assertNotReady("broker", "database");
        services.broker().startProcess();
        ids.forEach(id -> assertThat(state(api.awaitEnd(id))).isEqualTo("COMPLETED"));
        JsonNode count = api.run(SubmissionBody.javascript("return demo.counter_read({ name: args });")
                .args("\"" + counter + "\""));
        assertThat(count.path("result").asInt()).isEqualTo(ids.size());
        awaitReady();
        TimingAssertions.assertAtMost(pace.adjustLimit(MAX_LATENCY), maxLatency);
    }

    @Tag("slow")
    @Test
    void everyRequestFailsPromptlyWhileTheDatabaseIsDown() {
        String before = id(api.run(SubmissionBody.javascript("return 'before';")));
        String submission = SubmissionBody.javascript("return 'during';").json();
        TimingCalibration pace = startCalibration();
        services.database().stop();

        // Sends each request several times: with pooled connections that still seem to be open, and both while the API
        // key is still cached and after that.
        for (int round = 0; round < 3; round++) {
            assertUnavailable(() -> api.post(RestClient.EXECUTIONS, submission));
            assertUnavailable(() -> api.get(RestClient.EXECUTIONS + "/" + before));
            assertUnavailable(() -> api.get(RestClient.EXECUTIONS + "/" + before + "?wait=20"));
            assertUnavailable(() -> api.get(RestClient.EXECUTIONS));
        }

        assertNotReady("database", "broker");

        services.database().startProcess();
        awaitReady();
        TimingAssertions.assertAtMost(pace.adjustLimit(MAX_LATENCY), maxLatency);
        assertThat(api.getExecution(before).path("result").asText()).isEqualTo("before");
        assertThat(api.run(SubmissionBody.javascript("return demo.add({ a: 20, b: 22 });"))
                        .path("result")
                        .asInt())
                .isEqualTo(42);
    }

    private void assertUnavailable(Supplier<RestResponse> request) {
        RestResponse answer = measure(request);
        assertThat(answer.status()).describedAs(answer.toString()).isEqualTo(503);
        assertThat(answer.problemType()).describedAs(answer.toString()).isEqualTo("unavailable");
        assertThat(answer.text()).doesNotContain("Exception", "postgres");
    }

    private RestResponse measure(Supplier<RestResponse> request) {
        long start = System.nanoTime();
        RestResponse answer = request.get();
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        maxLatency = took.compareTo(maxLatency) > 0 ? took : maxLatency;
        return answer;
    }

    /**
     * Calibrates before an outage. The test judges the slowest latency only after the service has recovered, when the
     * calibration can measure the load of the machine again.
     */
    private TimingCalibration startCalibration() {
        maxLatency = Duration.ZERO;
        return TimingCalibration.of(api);
    }

    /** Sends the health requests without a key, because the service needs the database to check a key. */
    private void assertNotReady(String down, String up) {
        Await.until("it says that the " + down + " is down", RECOVERY_TIMEOUT, () -> {
            RestResponse answer = api.withoutKey().get("/health/ready");
            return answer.status() == 503 && answer.text().contains("\"" + down + "\",\"status\":\"DOWN\"");
        });
        RestResponse answer = api.withoutKey().get("/health/ready");
        assertThat(answer.text())
                .contains("\"status\":\"DOWN\"", "{\"name\":\"" + up + "\",\"status\":\"UP\"}")
                .doesNotContain("\"data\"");
        assertThat(api.withoutKey().get("/health/live").status()).isEqualTo(200);
    }

    private void awaitReady() {
        Await.until(
                "the server is ready again",
                RECOVERY_TIMEOUT,
                () -> api.get("/health/ready").status() == 200);
    }

    private static SubmissionBody readExample(String name) {
        try {
            return SubmissionBody.typescript(
                    Files.readString(CheckoutPaths.root().resolve("examples").resolve(name)));
        } catch (IOException e) {
            throw new AssertionError("there is no example " + name, e);
        }
    }

    private static List<String> calledTools(List<JsonNode> trace, String type) {
        return trace.stream()
                .filter(event -> event.path("type").asText().equals(type))
                .map(event -> event.path("tool").asText())
                .sorted()
                .toList();
    }

    private static String id(JsonNode execution) {
        return execution.path("id").asText();
    }

    private static String state(JsonNode execution) {
        return execution.path("state").asText();
    }
}
