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
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Authority;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.ExternalServices;
import org.sallyport.it.harness.Pace;
import org.sallyport.it.harness.RawClient;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.testsupport.CertificateFiles;
import org.sallyport.testsupport.Timing;

/** The same build, told by settings alone to use PostgreSQL and a broker in another process, and to speak TLS. */
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExternalServicesIT {
    /** Two seconds are promised; a busy machine gets as long again. */
    private static final Duration PROMPT = Duration.ofSeconds(4);

    private static final Duration RECOVERY = Duration.ofSeconds(120);

    private final Authority authority = new Authority("Test Root");
    private final ExternalServices services = ExternalServices.launch(overTls(authority));
    private Api api = client(authority);
    private Duration slowest = Duration.ZERO;

    private static ServerSetup overTls(Authority authority) {
        CertificateFiles files = authority.issue("CN=external", "dns:localhost", "ip:127.0.0.1");
        return ServerSetup.fresh("external")
                .with("sallyport.tls.mode", "tls")
                .with("sallyport.tls.certificate", files.certificate().toString())
                .with("sallyport.tls.key", files.key().toString());
    }

    private Api client(Authority trusted) {
        return new Api(trusted.client(Optional.empty()), services.server().url(), Optional.empty());
    }

    @BeforeAll
    void warmUp() {
        services.server().awaitReady(api);
        api = api.as(services.server().adminKey());
        assertThat(state(api.run(Submission.javascript("return demo.add({ a: 1, b: 2 });"))))
                .isEqualTo("COMPLETED");
    }

    @AfterAll
    void end() {
        services.close();
        authority.close();
    }

    @Test
    void whoTrustsAnotherAuthorityDoesNotBelieveIt() {
        try (Authority other = new Authority("Another Root")) {
            assertThatThrownBy(() -> client(other).get("/health/ready"))
                    .hasRootCauseInstanceOf(CertPathBuilderException.class);
        }
    }

    @Test
    void plainHttpGetsNothing() {
        try (RawClient client = new RawClient(services.server().url())) {
            client.send(RawClient.get("/health/ready", "none"));
            assertThat(client.drain(1_024, Duration.ZERO, Duration.ofSeconds(20)))
                    .isLessThan(64);
        }
    }

    @Test
    void firstExampleGivesResultOutputAndTrace() {
        JsonNode execution = api.run(example("hello.ts").args("{\"name\": \"Ada\"}"));

        assertThat(state(execution)).describedAs(execution.toString()).isEqualTo("COMPLETED");
        assertThat(execution.path("result").path("greeting").asText()).isEqualTo("Hello, Ada!");
        assertThat(execution.path("result").path("sum").asInt()).isEqualTo(42);
        assertThat(execution.path("result").path("slow").asText()).isEqualTo("worth the wait");
        assertThat(execution.path("output").asText()).isEqualTo("Hello, Ada!\n19 + 23 = 42\n");
        assertThat(execution.path("errorOutput").asText()).isEqualTo("This line goes to standard error.\n");
        List<JsonNode> trace = api.trace(id(execution));
        assertThat(trace.stream().map(event -> event.path("seq").asLong()))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, trace.size()).boxed().toList());
        assertThat(tools(trace, "tool_start"))
                .isEqualTo(tools(trace, "tool_end"))
                .containsExactly("demo.add", "demo.clock", "demo.slow");
        assertThat(api.get(Api.EXECUTIONS + "/" + id(execution) + "/code")
                        .expect(200)
                        .text())
                .contains("worth the wait");
    }

    @Test
    void exampleWithOverlappingCallsRuns() {
        JsonNode execution = api.run(example("parallel.ts").args("{\"calls\": 12, \"atOnce\": 4}"));

        assertThat(execution.path("result"))
                .describedAs(execution.toString())
                .extracting(JsonNode::asInt)
                .containsExactlyElementsOf(IntStream.range(0, 12).boxed().toList());
        assertThat(tools(api.trace(id(execution)), "tool_end")).hasSize(12);
    }

    @Test
    void nothingIsKeptInTheServersOwnDirectory() throws IOException {
        JsonNode execution = api.run(example("notes.ts"));

        assertThat(state(execution)).describedAs(execution.toString()).isEqualTo("COMPLETED");
        assertThat(services.database().text("select state from execution where id = cast(? as uuid)", id(execution)))
                .isEqualTo("COMPLETED");
        try (var files = Files.list(services.server().data())) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .contains("admin.key")
                    .noneMatch(name -> name.equals("broker") || name.endsWith(".mv.db"));
        }
    }

    @Test
    void acceptedWhileTheBrokerIsDownRunsOnceItIsBack() {
        String counter = UUID.randomUUID().toString();
        Submission counting = Submission.javascript("return demo.counter_increment({ name: args });")
                .args("\"" + counter + "\"");
        Pace pace = paced();
        services.broker().kill();

        // More than one, for the first may still be handed to a connection that does not know yet.
        List<String> ids = IntStream.range(0, 20)
                .mapToObj(i -> promptly(() -> api.post(Api.EXECUTIONS, counting.json())))
                .map(answer -> answer.expect(202).json().path("id").asText())
                .toList();

        ids.forEach(id -> assertThat(state(api.execution(id))).isEqualTo("PENDING"));
        saysThatItIsNotReady("broker", "database");
        services.broker().begin();
        ids.forEach(id -> assertThat(state(api.awaitEnd(id))).isEqualTo("COMPLETED"));
        JsonNode count = api.run(Submission.javascript("return demo.counter_read({ name: args });")
                .args("\"" + counter + "\""));
        assertThat(count.path("result").asInt()).isEqualTo(ids.size());
        awaitReady();
        Timing.assertAtMost(pace.within(PROMPT), slowest);
    }

    @Tag("slow")
    @Test
    void everyRequestHearsPromptlyThatTheDatabaseIsDown() {
        String before = id(api.run(Submission.javascript("return 'before';")));
        String submission = Submission.javascript("return 'during';").json();
        Pace pace = paced();
        services.database().stop();

        // Several times each: with connections that seem to live, and with a key that is still remembered and then is
        // not.
        for (int round = 0; round < 3; round++) {
            unavailable(() -> api.post(Api.EXECUTIONS, submission));
            unavailable(() -> api.get(Api.EXECUTIONS + "/" + before));
            unavailable(() -> api.get(Api.EXECUTIONS + "/" + before + "?wait=20"));
            unavailable(() -> api.get(Api.EXECUTIONS));
        }

        saysThatItIsNotReady("database", "broker");

        services.database().begin();
        awaitReady();
        Timing.assertAtMost(pace.within(PROMPT), slowest);
        assertThat(api.execution(before).path("result").asText()).isEqualTo("before");
        assertThat(api.run(Submission.javascript("return demo.add({ a: 20, b: 22 });"))
                        .path("result")
                        .asInt())
                .isEqualTo(42);
    }

    private void unavailable(Supplier<Answer> request) {
        Answer answer = promptly(request);
        assertThat(answer.status()).describedAs(answer.toString()).isEqualTo(503);
        assertThat(answer.problem()).describedAs(answer.toString()).isEqualTo("unavailable");
        assertThat(answer.text()).doesNotContain("Exception", "postgres");
    }

    private Answer promptly(Supplier<Answer> request) {
        long start = System.nanoTime();
        Answer answer = request.get();
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        slowest = took.compareTo(slowest) > 0 ? took : slowest;
        return answer;
    }

    /** How long the slowest took is judged when the service is well again, and can be asked how busy the machine is. */
    private Pace paced() {
        slowest = Duration.ZERO;
        return Pace.of(api);
    }

    /** To strangers: whether a key is good is for a database to say. */
    private void saysThatItIsNotReady(String down, String up) {
        Await.until("it says that the " + down + " is down", RECOVERY, () -> {
            Answer answer = api.anonymous().get("/health/ready");
            return answer.status() == 503 && answer.text().contains("\"" + down + "\",\"status\":\"DOWN\"");
        });
        Answer answer = api.anonymous().get("/health/ready");
        assertThat(answer.text())
                .contains("\"status\":\"DOWN\"", "{\"name\":\"" + up + "\",\"status\":\"UP\"}")
                .doesNotContain("\"data\"");
        assertThat(api.anonymous().get("/health/live").status()).isEqualTo(200);
    }

    private void awaitReady() {
        Await.until(
                "the server is ready again",
                RECOVERY,
                () -> api.get("/health/ready").status() == 200);
    }

    private static Submission example(String name) {
        try {
            return Submission.typescript(
                    Files.readString(Checkout.home().resolve("examples").resolve(name)));
        } catch (IOException e) {
            throw new AssertionError("there is no example " + name, e);
        }
    }

    private static List<String> tools(List<JsonNode> trace, String type) {
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
