package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.cli.api.ApiJson;

class ExecutionCommandsTest {
    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;

    @BeforeEach
    void open() throws Exception {
        service = new FakeService();
        sallyport = new CommandLineFixture(directory, service);
        Files.writeString(directory.resolve("script.js"), "return 1");
    }

    @AfterEach
    void close() {
        service.close();
    }

    @Test
    void submitPrintsTheIdAlone() {
        assertThat(sallyport.run("submit", "script.js")).isZero();

        assertThat(sallyport.out()).isEqualTo(FakeService.ID + "\n");
        assertThat(sallyport.err()).contains("sallyport logs -f " + FakeService.ID);
    }

    @Test
    void submitReportsARepeatedIdempotencyKey() {
        service.answer(
                "POST /api/v1/executions",
                200,
                "{\"id\":\"" + FakeService.ID + "\",\"state\":\"COMPLETED\"}",
                Map.of("Idempotent-Replayed", "true"));

        sallyport.run("submit", "script.js", "--idempotency-key", "k");

        assertThat(sallyport.err()).contains("was used before", "COMPLETED");
    }

    @Test
    void submitReadsTheIdFromTheLocationIfTheBodyIsEmpty() {
        service.answer(
                "POST /api/v1/executions", 202, "", Map.of("Location", service.url() + "/api/v1/executions/abc"));

        sallyport.run("submit", "script.js");

        assertThat(sallyport.out()).isEqualTo("abc\n");
    }

    @Test
    void showPrintsOutputResultAndState() {
        service.stage("COMPLETED", "'output':'hi\\n','result':[1]");

        assertThat(sallyport.run("show", FakeService.ID)).isZero();

        assertThat(sallyport.out()).isEqualTo("hi\n[1]\n");
        assertThat(sallyport.err()).contains("COMPLETED");
    }

    @Test
    void showPrintsCodeSentAsJsonOrAsText() {
        service.answer("GET /api/v1/executions/a/code", 200, "{\"code\":\"return 1\"}");
        service.answer(
                "GET /api/v1/executions/b/code", 200, "return 2", Map.of("Content-Type", "text/plain;charset=utf-8"));

        sallyport.run("show", "a", "--code");
        sallyport.run("get", "b", "--code");

        assertThat(sallyport.out()).isEqualTo("return 1return 2");
    }

    @Test
    void showNamesTheSubmitterAndTheSchedule() {
        service.answer(
                "GET /api/v1/executions/s",
                200,
                "{\"id\":\"s\",\"state\":\"COMPLETED\",\"submittedBy\":\"key\\u001b[2J\",\"schedule\":\"s1\"}");

        assertThat(sallyport.run("show", "s")).isZero();
        assertThat(sallyport.err()).contains("  submitted by key\\u001b[2J, for schedule s1\n");
    }

    @Test
    void unknownExecutionIsReportedInPlainWords() {
        assertThat(sallyport.run("show", "nobody")).isEqualTo(6);
        assertThat(sallyport.err()).isEqualTo("Refused: Not found (not-found, 404)\n  There is nothing here.\n");
    }

    @Test
    void jsonOutputOfAProblemIsADocument() throws Exception {
        assertThat(sallyport.run("--json", "show", "nobody")).isEqualTo(6);
        assertThat(ApiJson.parse(sallyport.out()).path("status").asInt()).isEqualTo(404);
    }

    @Test
    void rerunPrintsItsOutputAndResult() {
        service.stage("COMPLETED", "'output':'hi\\n','result':[1]");

        assertThat(sallyport.run("rerun", "old", "--from", "3", "--code", "script.js"))
                .isZero();

        assertThat(service.submissions.get(0).toString())
                .isEqualTo("{\"mode\":\"from\",\"from\":3,\"language\":\"javascript\",\"code\":\"return 1\"}");
        assertThat(sallyport.out()).isEqualTo("hi\n[1]\n");
        assertThat(sallyport.err()).contains("COMPLETED", "sallyport diff old " + FakeService.ID);
    }

    @Test
    void languageOfARerunIsThatOfTheFileName() throws Exception {
        service.stage("COMPLETED", "");
        for (String file : List.of("script.cts", "script.cjs", "script.txt")) {
            Files.writeString(directory.resolve(file), "return 1");
            assertThat(sallyport.run("rerun", "old", "--code", file)).isZero();
        }

        assertThat(service.submissions)
                .extracting(body -> body.path("language").asText())
                .containsExactly("typescript", "javascript", "");
    }

    @Test
    void rerunIsFreshOrOfflineAndNeverOfflineFromACall() {
        service.stage("FAILED", "");

        assertThat(sallyport.run("rerun", "old")).isEqualTo(1);
        assertThat(sallyport.run("rerun", "old", "--offline")).isEqualTo(1);
        assertThat(sallyport.run("rerun", "old", "--offline", "--from", "2")).isEqualTo(2);

        assertThat(service.submissions)
                .extracting(Object::toString)
                .containsExactly("{\"mode\":\"fresh\"}", "{\"mode\":\"offline\"}");
    }

    @Test
    void diffShowsBothSidesOfEachDifference() {
        service.answer(
                "GET /api/v1/executions/a/diff?with=b",
                200,
                "{\"same\":false,\"state\":{\"this\":\"FAILED\",\"with\":\"COMPLETED\"},\"calls\":[{\"call\":2,"
                        + "\"args\":{\"at\":0,\"this\":\"[1]\",\"with\":\"[2]\"}},{\"call\":3,\"onlyIn\":\"with\"}],"
                        + "\"callsDiffering\":5}");

        assertThat(sallyport.run("diff", "a", "b")).isZero();

        assertThat(sallyport.out()).isEqualTo("""
                        state
                          - FAILED
                          + COMPLETED
                        call 2 args
                          - [1]
                          + [2]
                        call 3 is made only by the second
                        """);
        assertThat(sallyport.err()).contains("3 more calls");
    }

    @Test
    void cancelReportsTheState() {
        assertThat(sallyport.run("cancel", FakeService.ID)).isZero();
        assertThat(sallyport.err())
                .isEqualTo("Cancel requested for " + FakeService.ID
                        + "; state: CANCELLED. Follow it: sallyport logs -f " + FakeService.ID + "\n");
    }

    @Test
    void cancelSendsItsReasonAndShowPrintsIt() {
        assertThat(sallyport.run("cancel", FakeService.ID, "--reason", "wrong data"))
                .isZero();
        assertThat(service.bodies).contains("{\"reason\":\"wrong data\"}");
        service.answer(
                "GET /api/v1/executions/c",
                200,
                "{\"id\":\"c\",\"state\":\"CANCELLED\",\"cancellation\":{\"requestedBy\":\"key-1\","
                        + "\"reason\":\"wrong\\u001b[2J\"}}");

        assertThat(sallyport.run("show", "c")).isZero();
        assertThat(sallyport.err()).contains("  cancelled by key-1: wrong\\u001b[2J\n");
    }

    @Test
    void showPrintsBlockedAttempts() {
        service.answer(
                "GET /api/v1/executions/c",
                200,
                "{\"id\":\"c\",\"state\":\"COMPLETED\",\"blockedAttempts\":{\"total\":6,\"attempts\":["
                        + "{\"kind\":\"global\",\"name\":\"Deno.a\\nb\",\"count\":3},"
                        + "{\"kind\":\"tool\",\"name\":\"mail.send\",\"count\":1},"
                        + "{\"kind\":\"module\",\"count\":2}]}}");

        assertThat(sallyport.run("show", "c")).isZero();
        assertThat(sallyport.err())
                .contains("  6 blocked attempts: global Deno.a\\u000ab (3 times), tool mail.send,"
                        + " other modules (2 times)");
    }

    @Test
    void selectionIsCountedFirstAndCancelledPageByPageWithYes() {
        String path = "POST /api/v1/executions/cancel?capability=fees";
        service.answer(path + "&dryRun=true&state=PENDING", 200, "{\"matches\": 700, \"next\": null}");
        service.answer(
                path + "&dryRun=false&state=PENDING",
                200,
                "{\"cancelled\": 499, \"requested\": 1, \"alreadyRequested\": 0, \"ended\": 0, \"next\": \"c1\"}");
        service.answer(
                path + "&cursor=c1&dryRun=false&state=PENDING",
                200,
                "{\"cancelled\": 198, \"requested\": 0, \"alreadyRequested\": 1, \"ended\": 1, \"next\": null}");

        assertThat(sallyport.run("cancel", "--state", "queued", "--capability", "fees"))
                .isZero();
        assertThat(sallyport.err()).contains("700 executions match and have not ended.");
        assertThat(service.requests).doesNotContain(path + "&dryRun=false&state=PENDING");
        assertThat(sallyport.run("cancel", "--state", "queued", "--capability", "fees", "--yes"))
                .isZero();
        assertThat(sallyport.err())
                .contains("Cancelled: 697. Running, asked to stop: 1, asked before: 1. Ended meanwhile: 1.");
        assertThat(sallyport.run("cancel")).isEqualTo(2);
        assertThat(sallyport.run("cancel", "a", "--state", "pending")).isEqualTo(2);
    }

    @Test
    void deleteErasesAnExecution() {
        service.answer("DELETE /api/v1/executions/d", 204, "");

        assertThat(sallyport.run("delete", "d")).isZero();
        assertThat(sallyport.err()).isEqualTo("Deleted d.\n");
        assertThat(service.requests).contains("DELETE /api/v1/executions/d");
    }

    @Test
    void submissionThatMayBeStoredNamesItsExecution() {
        var problem = FakeService.problem(
                503,
                "unavailable",
                "Unavailable",
                ",\"detail\":\"Unknown.\",\"outcome\":\"unknown\",\"id\":\"e1\","
                        + "\"location\":\"/api/v1/executions/e1\"");
        service.answer("POST /api/v1/executions", 503, problem.body(), problem.headers());

        assertThat(sallyport.run("submit", "script.js")).isEqualTo(5);
        assertThat(sallyport.err())
                .startsWith("Outcome unknown: Unavailable")
                .contains("See: sallyport show e1")
                .doesNotContain("Refused");
    }

    @Test
    void cancelOfAnEndedExecutionIsRefused() {
        var problem = FakeService.problem(409, "already-terminal", "Already ended", "It is COMPLETED.");
        service.answer("POST /api/v1/executions/x/cancel", 409, problem.body(), problem.headers());

        assertThat(sallyport.run("cancel", "x")).isEqualTo(6);
        assertThat(sallyport.err()).contains("already-terminal", "It is COMPLETED.");
    }

    @Test
    void listShowsAPageAndTheCommandForTheNext() {
        service.answer(
                "GET /api/v1/executions?limit=2&state=TIMED_OUT",
                200,
                "{\"items\":[{\"id\":\"a\",\"state\":\"TIMED_OUT\",\"createdAt\":\"2026-01-01T00:00:00.123456Z\","
                        + "\"runMillis\":1500,\"cachedName\":\"fees\",\"codePreview\":\"while (true)\\n{}\"},"
                        + "{\"id\":\"b\",\"state\":\"TIMED_OUT\"}],\"next\":\"o2==\"}");
        service.answer("GET /api/v1/executions?cursor=o2%3D%3D&limit=2", 200, "{\"items\":[],\"next\":null}");

        assertThat(sallyport.run("list", "--state", "timed-out", "--limit", "2"))
                .isZero();
        assertThat(sallyport.out()).isEqualTo("""
                        ID  STATE      CREATED               RAN     SAVED SCRIPT  CODE
                        a   TIMED_OUT  2026-01-01T00:00:00Z  1.50 s  fees          while (true) {}
                        b   TIMED_OUT
                        """);
        assertThat(sallyport.err()).isEqualTo("More: sallyport list --cursor o2== --state timed-out\n");

        sallyport.run("list", "--cursor", "o2==", "--limit", "2");
        assertThat(sallyport.err()).endsWith("No executions.\n");
    }

    @Test
    void commandForTheNextPageKeepsTheFilters() {
        service.answer(
                "GET "
                        + "/api/v1/executions?label=env%3Atest&label=team%3Ared&limit=20"
                        + "&q=it%27s%20late&recent=PT5M&since=PT1H&tool=demo.echo",
                200, "{\"items\":[],\"next\":\"o2\"}");

        assertThat(sallyport.run(
                        "list",
                        "--label",
                        "env:test",
                        "--label",
                        "team:red",
                        "--tool",
                        "demo.echo",
                        "--since",
                        "PT1H",
                        "--recent",
                        "PT5M",
                        "--q",
                        "it's late"))
                .isZero();
        assertThat(sallyport.err()).isEqualTo("""
                        No matches on this page.
                        More: sallyport list --cursor o2 --label env:test --label team:red --tool demo.echo --since \
                        PT1H --q 'it'\\''s late' --recent PT5M
                        """);
    }

    @Test
    void approvalsAreListedAndDecided() {
        String asked = "{\"id\":\"a1\",\"state\":\"PENDING\",\"execution\":\"e1\",\"tool\":\"mail.send\","
                + "\"arguments\":{\"to\":\"a\\u001b[2Jb\"},\"reason\":\"needs two approvals\",\"approvers\":2,"
                + "\"approvedBy\":[\"k\"]}";
        service.answer("GET /api/v1/approvals?state=pending", 200, "{\"items\":[" + asked + "],\"next\":null}");
        assertThat(sallyport.run("approvals")).isZero();
        assertThat(sallyport.out())
                .contains("a1", "mail.send", "needs two approvals")
                .doesNotContain("\u001b");

        service.answer("POST /api/v1/approvals/a1/approve", 200, asked);
        assertThat(sallyport.run("approve", "a1", "--args", "{\"to\":\"c\"}", "--note", "fine"))
                .isZero();
        assertThat(sallyport.err()).contains("approvals: 1 of 2", "mail.send", "e1");

        service.answer("POST /api/v1/approvals/a1/deny", 200, asked.replace("PENDING", "DENIED"));
        assertThat(sallyport.run("deny", "a1")).isZero();
        assertThat(sallyport.err()).contains("DENIED  mail.send");
    }

    /** A page of pending approvals. */
    private static String approvalPage(Stream<String> ids, String next) {
        return ids.map(id -> "{\"state\":\"PENDING\",\"tool\":\"pay.out\",\"arguments\":{},\"reason\":\"much\","
                        + "\"id\":\"" + id + "\"}")
                .collect(Collectors.joining(",", "{\"items\":[", "],\"next\":" + next + "}"));
    }

    private List<String> listedApprovals() throws JsonProcessingException {
        assertThat(sallyport.run("--json", "approvals")).isZero();
        return ApiJson.parse(sallyport.out()).path("items").findValuesAsText("id");
    }

    private long approvalRequests() {
        return service.requests.stream()
                .filter(request -> request.startsWith("GET /api/v1/approvals?"))
                .count();
    }

    @Test
    void approvalsOfShortPagesAreListedTogether() throws JsonProcessingException {
        service.answer("GET /api/v1/approvals?state=pending", 200, approvalPage(Stream.of("a1"), "\"c1\""));
        service.answer(
                "GET /api/v1/approvals?cursor=c1&state=pending", 200, approvalPage(Stream.of("a2", "a3"), "null"));

        assertThat(listedApprovals()).containsExactly("a1", "a2", "a3");
    }

    @Test
    void noPageOfApprovalsFollowsAfterFiftyOfThem() throws JsonProcessingException {
        List<String> ids = IntStream.range(0, 60).mapToObj(i -> "a" + i).toList();
        service.answer("GET /api/v1/approvals?state=pending", 200, approvalPage(ids.subList(0, 30).stream(), "\"c1\""));
        service.answer(
                "GET /api/v1/approvals?cursor=c1&state=pending",
                200,
                approvalPage(ids.subList(30, 60).stream(), "\"c2\""));

        assertThat(listedApprovals()).isEqualTo(ids);
        assertThat(approvalRequests()).isEqualTo(2);
    }

    @Test
    void approvalsAreListedOnceIfTheServiceRepeatsItsCursor() throws JsonProcessingException {
        service.answer("GET /api/v1/approvals?state=pending", 200, approvalPage(Stream.of("a1"), "\"c1\""));
        service.answer("GET /api/v1/approvals?cursor=c1&state=pending", 200, approvalPage(Stream.of("a2"), "\"c1\""));

        assertThat(listedApprovals()).containsExactly("a1", "a2");
    }

    @Test
    void listOfApprovalsEndsIfItsPagesAreEmpty() throws JsonProcessingException {
        service.answer("GET /api/v1/approvals?state=pending", 200, approvalPage(Stream.of("a1"), "\"c1\""));
        service.answer("GET /api/v1/approvals?cursor=c1&state=pending", 200, approvalPage(Stream.of(), "\"c2\""));
        service.answer("GET /api/v1/approvals?cursor=c2&state=pending", 200, approvalPage(Stream.of(), "\"c1\""));

        assertThat(listedApprovals()).containsExactly("a1");
        assertThat(approvalRequests()).isLessThanOrEqualTo(50);
    }

    @Test
    void approvalsAreListedWithTheirOutcomeAtExpiry() {
        String asked = "{\"state\":\"PENDING\",\"tool\":\"pay.out\",\"arguments\":{},\"reason\":\"much\",";
        service.answer(
                "GET /api/v1/approvals?state=pending",
                200,
                "{\"items\":[" + asked + "\"id\":\"a1\",\"atExpiry\":\"deny\"},"
                        + asked + "\"id\":\"a2\",\"atExpiry\":\"approve\"},"
                        + asked + "\"id\":\"a3\",\"atExpiry\":\"value\",\"valueAtExpiry\":{\"paid\":1.50}},"
                        + asked + "\"id\":\"a4\",\"atExpiry\":\"value\",\"valueAtExpiry\":\"" + "x".repeat(90)
                        + "\"}],\"next\":null}");
        assertThat(sallyport.run("approvals")).isZero();
        assertThat(sallyport.out()).isEqualTo("""
                        APPROVAL  STATE    TOOL     AT EXPIRY                          ARGUMENTS  WHY
                        a1        PENDING  pay.out  denied                             {}         much
                        a2        PENDING  pay.out  approved                           {}         much
                        a3        PENDING  pay.out  answered {"paid":1.50}             {}         much
                        a4        PENDING  pay.out  answered "xxxxxxxxxxxxxxxxxxxxxx~  {}         much
                        """);
    }

    @Test
    void toolsAreListedWithTheirHints() {
        service.answer(
                "GET /api/v1/tools",
                200,
                "{\"items\":[{\"backend\":\"demo\",\"name\":\"add\",\"description\":\"Adds two "
                        + "numbers\",\"readOnly\":true},"
                        + "{\"backend\":\"demo\",\"name\":\"demo.send_mail\",\"description\":\"Sends\","
                        + "\"hints\":{\"destructive\":true}}],\"next\":null}");

        assertThat(sallyport.run("tools")).isZero();
        assertThat(sallyport.out()).isEqualTo("""
                        TOOL            HINTS        DESCRIPTION
                        demo.add        read-only    Adds two numbers
                        demo.send_mail  destructive  Sends
                        """);
    }

    @Test
    void toolsCanBeSearched() {
        service.answer("GET /api/v1/tools", 200, "[{\"name\":\"demo.add\"},{\"name\":\"demo.echo\"}]");

        sallyport.run("tools", "ECHO");

        assertThat(sallyport.out()).contains("demo.echo").doesNotContain("demo.add");
    }

    @Test
    void traceIsDrawnOnStandardOutput() {
        service.stage("RUNNING", "");
        service.answer(
                "GET /api/v1/executions/" + FakeService.ID + "/trace",
                200,
                "{\"events\":[{\"seq\":1,\"type\":\"tool_start\",\"at\":\"2026-01-01T00:00:00Z\",\"call\":1,"
                        + "\"tool\":\"demo.slow\"}]}");

        assertThat(sallyport.run("trace", FakeService.ID)).isZero();
        assertThat(sallyport.out()).contains("  1  demo.slow", "open");
    }

    @Test
    void logsOfAnExecutionAreFollowedToItsEnd() {
        service.stage("RUNNING", "'output':'a\\n'").stage("TIMED_OUT", "'output':'a\\nb\\n'");

        assertThat(sallyport.run("logs", "-f", FakeService.ID)).isEqualTo(4);
        assertThat(sallyport.out()).isEqualTo("a\nb\n");
    }

    @Test
    void statusShowsHealthAndVersion() {
        assertThat(sallyport.run("status")).isZero();
        assertThat(sallyport.out())
                .contains("service    " + service.url() + "  ready", "version    0.1.0", "check      up    database");
    }

    @Test
    void statusReportsAnUnreachableService() {
        service.close();

        assertThat(sallyport.run("status", "--json")).isEqualTo(5);
        assertThat(sallyport.out()).contains("\"ready\" : false");
    }

    @Test
    void everyCommandHasHelp() {
        for (String command : new String[] {
            "run", "submit", "show", "get", "list", "trace", "cancel", "tools", "up", "down", "status", "logs"
        }) {
            assertThat(sallyport.run(command, "--help")).as(command).isZero();
        }
    }
}
