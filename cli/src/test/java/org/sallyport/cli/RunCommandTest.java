package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle;

class RunCommandTest {
    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;

    @BeforeEach
    void open() throws Exception {
        service = new FakeService();
        sallyport = new CommandLineFixture(directory, service);
        Files.writeString(directory.resolve("script.ts"), "const a = 1;\nthrow new Error('no');\n");
    }

    @AfterEach
    void close() {
        service.close();
    }

    @Test
    void bothStreamsArePrintedOnceBeforeTheResult() {
        service.stage("PENDING", "")
                .stage("RUNNING", "'output':'one\\n','errorOutput':'oh\\n'")
                .stage("RUNNING", "'output':'one\\ntwo','errorOutput':'oh\\n'")
                .stage(
                        "COMPLETED",
                        "'output':'one\\ntwo\\n','errorOutput':'oh\\ndear\\n','result':{'sum':3},'runMillis':12");

        int code = sallyport.run("run", "script.ts");

        assertThat(code).isZero();
        assertThat(sallyport.out()).isEqualTo("one\ntwo\n{\"sum\":3}\n");
        assertThat(sallyport.err()).startsWith("oh\ndear\n").contains("COMPLETED  " + FakeService.ID + "  (ran 12 ms)");
        assertThat(service.requests).contains("GET /api/v1/executions/" + FakeService.ID + "/events");
    }

    @Test
    void brokenStreamIsResumedAtItsPosition() {
        service.stage("RUNNING", "'output':'one\\n'")
                .stage("RUNNING", "'output':'one\\ntwo','errorOutput':'oh'")
                .stage("COMPLETED", "'output':'one\\ntwo\\n','errorOutput':'oh','result':3")
                .breakStreams();

        assertThat(sallyport.run("run", "script.ts")).isZero();

        assertThat(sallyport.out()).isEqualTo("one\ntwo\n3\n");
        assertThat(service.requests.stream().filter(request -> request.endsWith("/events")))
                .hasSize(3);
    }

    @Test
    void executionIsPolledIfNoStreamIsAvailable() {
        var problem = FakeService.problem(429, "rate-limited", "Too many", "100 streams are open");
        service.stage("RUNNING", "'output':'one\\n'")
                .stage("COMPLETED", "'output':'one\\ntwo\\n','result':3")
                .answer("GET /api/v1/executions/" + FakeService.ID + "/events", 429, problem.body());

        assertThat(sallyport.run("run", "script.ts")).isZero();

        assertThat(sallyport.out()).isEqualTo("one\ntwo\n3\n");
        assertThat(service.requests)
                .contains("GET /api/v1/executions/" + FakeService.ID + "?errorOffset=0&outputOffset=4&wait=1");
    }

    @Test
    void jsonEventsArePrintedAsLines() throws Exception {
        service.stage("RUNNING", "'output':'\\u001b[1m'").stage("FAILED", "'output':'\\u001b[1m'");

        assertThat(sallyport.run("logs", "-f", FakeService.ID, "--json")).isEqualTo(1);

        assertThat(sallyport.out().lines().map(RunCommandTest::event)).containsExactly("output", "state", "result");
        assertThat(sallyport.out()).doesNotContain("\u001b");
    }

    private static String event(String line) {
        try {
            return ApiJson.parse(line).path("event").asText();
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new AssertionError(line, e);
        }
    }

    @ParameterizedTest
    @CsvSource({"COMPLETED,0", "FAILED,1", "CANCELLED,3", "TIMED_OUT,4"})
    void theExitCodeFollowsTheState(String state, int code) {
        service.stage(state, "");

        assertThat(sallyport.run("run", "script.ts")).isEqualTo(code);
        assertThat(sallyport.err()).contains(state);
    }

    @Test
    void requestContainsAllOptions() throws Exception {
        service.stage("COMPLETED", "");
        Files.writeString(directory.resolve("input.json"), "{\"n\": 1.50}");

        int code = sallyport.run(
                "run",
                "script.ts",
                "--args",
                "@input.json",
                "--context",
                "[1]",
                "--grant",
                "demo.*",
                "--grant",
                "x.y",
                "--label",
                "team=blue",
                "--timeout",
                "2s",
                "--concurrency-key",
                "printer",
                "--deadline",
                "2026-06-08T19:00:00Z",
                "--delay",
                "90s",
                "--not-before",
                "2026-06-08T18:00:00Z",
                "--priority",
                "7",
                "--retry",
                "3",
                "--retry-delay",
                "2s",
                "--retry-on",
                "timeout",
                "--retry-on",
                "script-error",
                "--retry-after-writes",
                "--idempotency-key",
                "k1");

        assertThat(code).isZero();
        assertThat(service.idempotencyKeys).containsExactly("k1");
        assertThat(ApiJson.compact(service.submissions.get(0)))
                .isEqualTo("{\"code\":\"const a = 1;\\nthrow new Error('no');\\n\",\"language\":\"typescript\","
                        + "\"args\":{\"n\":1.50},\"context\":[1],\"grants\":[\"demo.*\",\"x.y\"],"
                        + "\"labels\":{\"team\":\"blue\"},\"limits\":{\"wallMillis\":2000},\"priority\":7,"
                        + "\"notBefore\":\"2026-06-08T18:00:00Z\",\"delayMillis\":90000,"
                        + "\"deadline\":\"2026-06-08T19:00:00Z\",\"concurrencyKey\":\"printer\","
                        + "\"retry\":{\"attempts\":3,\"delayMillis\":2000,"
                        + "\"errorCodes\":[\"timeout\",\"script-error\"],\"afterWrites\":true}}");
    }

    @Test
    void optionsOfRetriesNeedTheNumberOfAttempts() {
        assertThat(sallyport.run("run", "script.ts", "--retry-delay", "2s")).isEqualTo(ExitCode.USAGE.code());
        assertThat(sallyport.err()).contains("--retry is missing");
        assertThat(service.submissions).isEmpty();
    }

    @Test
    void runFollowsTheNextAttempt() {
        service.stage("FAILED", "'error':{'code':'timeout'},'retry':{'next':'" + FakeService.ID + "'}")
                .stage("COMPLETED", "'output':'two\\n','result':3,'retry':{'attempt':2,'attempts':2}");

        assertThat(sallyport.run("run", "script.ts", "--retry", "2")).isZero();

        assertThat(sallyport.out()).isEqualTo("two\n3\n");
        assertThat(sallyport.err())
                .contains(FakeService.ID + " failed with timeout. Next attempt: " + FakeService.ID)
                .contains("COMPLETED  " + FakeService.ID)
                .contains("attempt 2 of 2");
    }

    @Test
    void absentOptionsAreLeftToTheService() {
        service.stage("COMPLETED", "");

        sallyport.withInput("return 1").run("run", "-");

        assertThat(ApiJson.compact(service.submissions.get(0))).isEqualTo("{\"code\":\"return 1\"}");
    }

    @Test
    void failureShowsItsPositionInTheSource() {
        service.stage(
                "FAILED",
                "'error':{'code':'script-error','culprit':'user','message':'Error: no','line':2,'column':7,"
                        + "'stack':'Error: no\\n    at script.ts:2:7'}");

        assertThat(sallyport.run("run", "script.ts")).isEqualTo(1);
        assertThat(sallyport.err())
                .contains("  script-error (user) in script.ts, line 2, column 7\n")
                .contains("  Error: no\n    1 | const a = 1;\n  > 2 | throw new Error('no');\n      |       ^\n")
                .contains("      at script.ts:2:7\n");
    }

    @Test
    void aRefusedScriptShowsTheProblemAndItsFrame() {
        var problem = FakeService.problem(
                422,
                "syntax-error",
                "Syntax error",
                ",\"detail\":\"Expected ';'\",\"line\":2,\"column\":3,\"codeFrame\":\"> 2 | oops\\n    |   ^\"");
        service.answer("POST /api/v1/executions", problem.status(), problem.body(), problem.headers());

        assertThat(sallyport.run("run", "script.ts")).isEqualTo(6);
        assertThat(sallyport.out()).isEmpty();
        assertThat(sallyport.err()).isEqualTo("""
                        Refused: Syntax error (syntax-error, 422) in script.ts, line 2, column 3
                          Expected ';'
                          > 2 | oops
                              |   ^
                        """);
    }

    @Test
    void codeFrameIsMadeLocallyIfTheServiceSendsNone() {
        var problem = FakeService.problem(422, "syntax-error", "Syntax error", ",\"line\":1,\"column\":7");
        service.answer("POST /api/v1/executions", problem.status(), problem.body(), problem.headers());

        sallyport.run("run", "script.ts");

        assertThat(sallyport.err()).contains("  > 1 | const a = 1;\n      |       ^\n");
    }

    @Test
    void theTraceIsDrawnWithOverlappingCalls() {
        service.stage("COMPLETED", "'startedAt':'2026-01-01T00:00:00Z','finishedAt':'2026-01-01T00:00:00.100Z'")
                .answer("GET /api/v1/executions/" + FakeService.ID + "/trace", 200, """
                        {"events":[
                         {"seq":1,"type":"tool_start","at":"2026-01-01T00:00:00Z","call":1,"tool":"demo.slow"},
                         {"seq":2,"type":"tool_start","at":"2026-01-01T00:00:00.050Z","call":2,"tool":"demo.add"}],
                         "next":2}""")
                .answer("GET /api/v1/executions/" + FakeService.ID + "/trace?after=2", 200, """
                        {"events":[
                         {"seq":3,"type":"tool_end","at":"2026-01-01T00:00:00.075Z","call":2,"tool":"demo.add",\
                        "success":true},
                         {"seq":4,"type":"tool_end","at":"2026-01-01T00:00:00.100Z","call":1,"tool":"demo.slow",\
                        "success":true}],
                         "next":null}""");

        sallyport.run("run", "script.ts");

        assertThat(sallyport.err())
                .contains("  1  demo.slow  ################################################     100 ms\n")
                .contains("  2  demo.add                           ############                  25 ms\n");
    }

    @Test
    void jsonIsOneDocumentWithOutputResultAndTrace() throws Exception {
        service.stage("RUNNING", "'output':'one\\n'").stage("COMPLETED", "'output':'one\\n','result':'\\u202e'");

        assertThat(sallyport.run("run", "script.ts", "--json")).isZero();

        var document = ApiJson.parse(sallyport.out());
        assertThat(document.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(document.path("output").asText()).isEqualTo("one\n");
        assertThat(document.path("trace").isArray()).isTrue();
        assertThat(document.path("result").asText()).isEqualTo("\u202e");
        assertThat(sallyport.out()).doesNotContain("\u202e");
        assertThat(sallyport.err()).isEmpty();
    }

    @Test
    void controlCharactersOfAScriptNeverReachTheTerminal() {
        service.stage(
                "FAILED",
                "'output':'\\u001b[2Jgone\\r\\n','errorOutput':'\\u009b1m',"
                        + "'error':{'code':'script-error','message':'\\u001b]52;c;x\\u0007','stack':'\\u202eevil'}");

        sallyport.withTerminalOutput().run("run", "script.ts");

        assertThat(sallyport.out()).isEqualTo("\\u001b[2Jgone\\u000d\n");
        assertThat(sallyport.err())
                .contains("\\u009b1m", "\\u001b]52;c;x\\u0007", "\\u202eevil")
                .doesNotContain("\u001b", "\u009b", "\u202e");
    }

    @Test
    void rawOutputIsRefusedOnATerminal() {
        service.stage("COMPLETED", "'output':'\\u001b[1m'");

        assertThat(sallyport.run("run", "script.ts", "--raw")).isZero();
        assertThat(sallyport.out()).isEqualTo("\u001b[1m");
        assertThat(sallyport.withTerminalOutput().run("run", "script.ts", "--raw"))
                .isEqualTo(2);
        assertThat(sallyport.err()).contains("--raw is not for a terminal");
    }

    @Test
    void theFileAfterAnAtSignIsReadByTheOption() throws Exception {
        service.stage("COMPLETED", "");
        Path file = Files.writeString(directory.resolve("input.json"), "{\"n\": 1, \"text\": \"two words\"}");

        assertThat(sallyport.run("run", "script.ts", "--args", "@" + file)).isZero();

        assertThat(service.submissions.get(0).at("/args/text").asText()).isEqualTo("two words");
    }

    @Test
    void invalidOptionsAreRefusedBeforeTheRequest() {
        assertThat(sallyport.run("run", "missing.ts")).isEqualTo(2);
        assertThat(sallyport.run("run", "script.ts", "--args", "{oops")).isEqualTo(2);
        assertThat(sallyport.run("run", "script.ts", "--args", "@none.json")).isEqualTo(2);
        assertThat(sallyport.run("run", "script.ts", "--timeout", "soon")).isEqualTo(2);
        assertThat(sallyport.run("run", "script.ts", "--language", "cobol")).isEqualTo(2);
        assertThat(sallyport.run("run")).isEqualTo(2);
        assertThat(sallyport.run("rnu")).isEqualTo(2);

        assertThat(sallyport.err())
                .contains("There is no file missing.ts", "--args is not JSON (line 1, column", "no such file")
                .contains("'soon' is not a duration", "cobol", "SCRIPT", "Commands: run,");
        assertThat(service.requests).isEmpty();
    }

    @Test
    void aWrongKeyIsExplained() {
        sallyport.variables.put("SALLYPORT_KEY", "sp_wrong");

        assertThat(sallyport.run("run", "script.ts")).isEqualTo(5);
        assertThat(sallyport.err()).contains("Unauthorized", "SALLYPORT_KEY", "admin.key");
    }

    @Test
    void unreachableServiceIsExplained() {
        service.close();

        assertThat(sallyport.run("run", "script.ts")).isEqualTo(5);
        assertThat(sallyport.err()).contains("No service answers at " + service.url(), "SALLYPORT_URL");
    }

    @Test
    void localAdminKeyIsSentToTheLocalServiceOnly() throws Exception {
        Files.createDirectories(directory.resolve("data"));
        Files.writeString(directory.resolve("data/admin.key"), FakeService.KEY + "\n");
        service.stage("COMPLETED", "");
        sallyport.variables.remove("SALLYPORT_KEY");

        // Listens on this machine, but is not the service of the data directory.
        assertThat(sallyport.run("run", "script.ts")).isEqualTo(5);
        assertThat(sallyport.err()).contains("Unauthorized", "--key-file");
        assertThat(service.submissions).isEmpty();
        CliEnvironment surroundings =
                new CliEnvironment(Map.of(), directory, directory, "java", InputStream.nullInputStream());
        ServiceLocator elsewhere = new ServiceLocator(
                surroundings,
                new Terminal(System.out, System.err, false, false, new TerminalStyle(80, false, false)),
                new ServiceTarget(Optional.of("http://192.0.2.1:8080"), Optional.empty()));
        assertThat(elsewhere.keyFor(elsewhere.url())).isEmpty();
    }
}
