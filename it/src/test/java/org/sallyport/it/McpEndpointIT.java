package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.ElicitResult.Action;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.CommandResult;
import org.sallyport.it.harness.McpTestClient;
import org.sallyport.it.harness.McpTestClient.McpCallResult;
import org.sallyport.it.harness.NodeJsPackages;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** The MCP endpoint, used with third-party clients. */
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class McpEndpointIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final SallyportServer server;
    private final TestTenant tenant;
    private final TestTenant otherTenant;
    private final RestClient api;

    McpEndpointIT(SallyportServer server, TestTenant us, TestTenant them) {
        this.server = server;
        this.tenant = us;
        this.otherTenant = them;
        this.api = us.api();
    }

    private McpTestClient newClient() {
        return McpTestClient.withoutElicitation(server, tenant.key());
    }

    private static String runScriptArguments(String code) {
        return TestJson.write(TestJson.object().put("code", code));
    }

    @Test
    void agentGetsInstructionsToolsAndTheirInterfaces() {
        try (McpTestClient agent = newClient()) {
            assertThat(agent.client().getServerInfo().name()).isEqualTo("sallyport");
            assertThat(agent.client().getServerInstructions()).contains("run_script", "tools.backend.tool(args)");
            assertThat(agent.toolNames())
                    .contains(
                            "run_script",
                            "submit_script",
                            "run_capability",
                            "run_tests",
                            "execution_status",
                            "cancel_execution",
                            "list_executions",
                            "run_saved_script",
                            "list_saved_scripts",
                            "get_saved_script",
                            "delete_saved_script",
                            "emit_event",
                            "execute",
                            "run_batch",
                            "batch_status",
                            "cancel_batch",
                            "search_tools",
                            "get_tool_interface");
            agent.client().ping();
            McpCallResult found =
                    agent.call("search_tools", "{\"query\":\"add\"}").expectSuccess();
            assertThat(found.content().path("items").findValuesAsText("name")).contains("demo.add");
            McpCallResult add =
                    agent.call("get_tool_interface", "{\"name\":\"demo.add\"}").expectSuccess();
            assertThat(add.textAt("/declaration")).contains("add(args: {", "a: number");
            assertThat(add.content().at("/inputSchema/properties").has("b")).isTrue();
            McpCallResult none = agent.call("get_tool_interface", "{\"name\":\"demo.ad\"}");
            assertThat(none.failed()).isTrue();
            assertThat(none.textAt("/error/code")).isEqualTo("not-found");
            assertThat(none.textAt("/error/message")).contains("demo.add");
        }
    }

    @Test
    void runScriptReturnsResultAndOutput() {
        try (McpTestClient agent = newClient()) {
            McpCallResult ran = agent.call("run_script", """
                    {"code":"console.log('adding'); const n: number = await tools.demo.add(args); \
                    console.error('done'); return { n };",
                     "language":"typescript","args":{"a":40,"b":2},"grants":["demo.*"],"intent":"to see"}
                    """).expectSuccess();
            assertThat(ran.textAt("/state")).isEqualTo("COMPLETED");
            assertThat(ran.textAt("/result/n")).isEqualTo("42");
            assertThat(ran.textAt("/output")).isEqualTo("adding\n");
            assertThat(ran.textAt("/errorOutput")).isEqualTo("done\n");
            JsonNode stored = api.getExecution(ran.textAt("/id"));
            assertThat(stored.path("intent").asText()).isEqualTo("to see");

            McpCallResult typed = agent.call("run_script", """
                    {"code":"const n: number = 2; return n"}
                    """).expectSuccess();
            assertThat(typed.textAt("/result")).isEqualTo("2");
            assertThat(api.getExecution(typed.textAt("/id")).path("language").asText())
                    .isEqualTo("typescript");
        }
    }

    @Test
    void answerIsThatOfTheLastAttempt() {
        try (McpTestClient agent = newClient()) {
            for (String tool : List.of("run_script", "execute")) {
                McpCallResult ran = agent.call(tool, """
                        {"code":"const n = await demo.counter_increment({ name: args }); \
                        if (n < 2) throw new Error(n); return n",
                         "args":"retried by %s",
                         "retry":{"attempts":3,"delayMillis":100,"errorCodes":["script-error"],"afterWrites":true}}
                        """.formatted(tool)).expectSuccess();
                assertThat(ran.textAt("/state")).isEqualTo("COMPLETED");
                assertThat(ran.textAt("/result")).isEqualTo("2");
                assertThat(ran.textAt("/retry/attempt")).isEqualTo("2");
                assertThat(api.getExecution(ran.textAt("/retry/previous"))
                                .at("/retry/next")
                                .asText())
                        .isEqualTo(ran.textAt("/id"));
            }
        }
    }

    @Test
    void answerHasTheTraceIfTheAgentAsks() {
        try (McpTestClient agent = newClient()) {
            McpCallResult ran = agent.call(
                            "run_script", "{\"code\":\"return tools.demo.echo({ a: 1 })\",\"includeTrace\":true}")
                    .expectSuccess();
            assertThat(ran.textAt("/trace/events/1/type")).isEqualTo("tool_start");
            String id = ran.textAt("/id");
            assertThat(agent.call("execution_status", "{\"id\":\"" + id + "\",\"includeTrace\":true}")
                            .textAt("/trace/events/1/tool"))
                    .isEqualTo("demo.echo");
            assertThat(agent.call("execution_status", "{\"id\":\"" + id + "\"}").textAt("/trace/events/1/type"))
                    .isEmpty();
            assertThat(agent.call("run_script", "{\"code\":\"return 1\",\"includeTrace\":1}")
                            .textAt("/error/code"))
                    .isEqualTo("validation");
        }
    }

    @Test
    void savedScriptIsListedShownRunAndDeleted() {
        try (McpTestClient agent = newClient();
                McpTestClient auditor = McpTestClient.withoutElicitation(server, tenant.key("auditor"))) {
            McpCallResult saved = agent.call("run_script", """
                            {"code":"// Triples a number.\\nreturn args.n * 3",
                             "args":{"n":1},"cacheAs":"auto"}""").expectSuccess();
            String name = saved.textAt("/cachedName");
            assertThat(name).startsWith("triples-a-number-");
            String named = "{\"name\":\"" + name + "\"}";
            McpCallResult script = auditor.call("get_saved_script", named).expectSuccess();
            assertThat(script.textAt("/code")).contains("args.n * 3");
            assertThat(auditor.call("list_saved_scripts", "{\"query\":\"TRIPLES\"}")
                            .expectSuccess()
                            .textAt("/items/0/name"))
                    .isEqualTo(name);
            String run = "{\"cached\":\"" + name + "\",\"args\":{\"n\":14},\"integrity\":\"";
            McpCallResult ran = agent.call("run_saved_script", run + script.textAt("/hash") + "\"}")
                    .expectSuccess();
            assertThat(ran.textAt("/result")).isEqualTo("42");
            assertThat(ran.textAt("/cachedName")).isEqualTo(name);
            assertThat(agent.call("run_saved_script", run + "sha256-00\"}").textAt("/error/code"))
                    .isEqualTo("integrity-mismatch");
            assertThat(agent.call("list_executions", "{\"recent\":\"PT1H\",\"limit\":1}")
                            .expectSuccess()
                            .textAt("/items/0/cachedName"))
                    .isEqualTo(name);
            assertThat(agent.call("list_executions", "{\"recent\":\"1h\"}").textAt("/error/member"))
                    .isEqualTo("recent");
            assertThat(auditor.toolNames())
                    .contains("get_saved_script", "list_saved_scripts", "execute")
                    .doesNotContain("run_saved_script", "delete_saved_script");

            assertThat(agent.call("delete_saved_script", named).expectSuccess().textAt("/deleted"))
                    .isEqualTo(name);
            for (String tool : List.of("get_saved_script", "delete_saved_script")) {
                assertThat(agent.call(tool, named).textAt("/error/code")).isEqualTo("not-found");
            }
            assertThat(api.get("/api/v1/audit?action=script.delete")
                            .expectStatus(200)
                            .json()
                            .path("items"))
                    .anyMatch(entry -> entry.path("object").asText().equals(name)
                            && entry.path("channel").asText().equals("mcp"));
        }
    }

    @Test
    void executeRunsTheExamplesOfTheDocumentation() throws IOException {
        String page = Files.readString(CheckoutPaths.root().resolve("docs/mcp.md"));
        Matcher blocks = Pattern.compile("```json (execute|execute-id)\n(.*?)```", Pattern.DOTALL)
                .matcher(page);
        Set<String> modes = new TreeSet<>();
        String unfinished = "";
        try (McpTestClient agent = newClient()) {
            while (blocks.find()) {
                ObjectNode arguments = (ObjectNode) TestJson.read(blocks.group(2));
                if (blocks.group(1).equals("execute-id")) {
                    arguments.put("id", unfinished);
                }
                McpCallResult done =
                        agent.call("execute", TestJson.write(arguments)).expectSuccess();
                String mode = arguments.path("mode").asText("execute");
                modes.add(mode);
                switch (mode) {
                    case "async" -> unfinished = done.textAt("/id");
                    case "execute" -> {
                        assertThat(done.textAt("/result")).isEqualTo("42");
                        assertThat(done.textAt("/cachedName")).isNotEmpty();
                        assertThat(done.textAt("/trace/events/1/type")).isEqualTo("tool_start");
                        assertThat(agent.progressNotifications()).isEmpty();
                    }
                    case "stream" ->
                        Await.until(
                                "the output is reported",
                                TIMEOUT,
                                () -> agent.progressNotifications().stream()
                                        .anyMatch(sent -> sent.message().contains("half done")));
                    case "list" -> assertThat(done.textAt("/items/0/id")).isEqualTo(unfinished);
                    case "status" ->
                        assertThat(done.content().path("artifacts").isArray()).isTrue();
                    case "test" -> assertThat(done.textAt("/summary/passed")).isEqualTo("1");
                    default -> assertThat(done.textAt("/id")).isEqualTo(unfinished);
                }
            }
        }
        assertThat(modes).containsExactly("async", "cancel", "execute", "list", "status", "stream", "test");
        JsonNode cancelled = api.awaitEnd(unfinished);
        assertThat(cancelled.path("state").asText()).isEqualTo("CANCELLED");
        assertThat(cancelled.at("/cancellation/reason").asText()).isEqualTo("wrong data");
    }

    @Test
    void executeRunsSavedScriptsPlansAndReruns() {
        try (McpTestClient agent = newClient()) {
            McpCallResult saved = agent.call("execute", """
                            {"code":"await artifacts.write('a.txt', 'x'); return tools.demo.kv_put({ key: 'execute', \
                            value: args.n })",
                             "args":{"n":1},"cacheAs":"execute.put","artifacts":true}""").expectSuccess();
            assertThat(saved.textAt("/cachedName")).isEqualTo("execute.put");
            assertThat(saved.textAt("/artifacts/0/name")).isEqualTo("a.txt");
            assertThat(api.get(saved.textAt("/artifacts/0/content"))
                            .expectStatus(200)
                            .text())
                    .isEqualTo("x");
            McpCallResult planned = agent.call(
                            "execute", "{\"cached\":\"execute.put\",\"args\":{\"n\":2},\"plan\":true}")
                    .expectSuccess();
            assertThat(planned.textAt("/plan/effects/0/tool")).isEqualTo("demo.kv_put");
            assertThat(planned.textAt("/dryRun")).isEqualTo("true");
            assertThat(agent.call(
                                    "execute",
                                    "{\"mode\":\"status\",\"plan\":true,\"id\":\"" + planned.textAt("/id") + "\"}")
                            .expectSuccess()
                            .textAt("/plan/effects/0/args/value"))
                    .isEqualTo("2");
            assertThat(agent.call(
                                    "execute",
                                    "{\"mode\":\"status\",\"plan\":true,\"id\":\"" + saved.textAt("/id") + "\"}")
                            .textAt("/error/member"))
                    .isEqualTo("plan");
            String rerun = "{\"rerun\":{\"id\":\"" + saved.textAt("/id") + "\",\"mode\":\"offline\"}";
            McpCallResult repeated = agent.call("execute", rerun + "}").expectSuccess();
            assertThat(api.getExecution(repeated.textAt("/id")).path("rerunOf").asText())
                    .isEqualTo(saved.textAt("/id"));
            assertThat(agent.call("execute", rerun + ",\"code\":\"return 7\",\"mode\":\"async\"}")
                            .expectSuccess()
                            .textAt("/state"))
                    .isNotEmpty();
            assertThat(api.get("/api/v1/audit?action=execution.rerun")
                            .expectStatus(200)
                            .json()
                            .path("items"))
                    .anyMatch(entry -> entry.path("object").asText().equals(saved.textAt("/id"))
                            && entry.path("result").asText().equals("done"));
        }
    }

    @Test
    void executeRefusesWhatDoesNotGoWithItsMode() {
        try (McpTestClient agent = newClient();
                McpTestClient auditor = McpTestClient.withoutElicitation(server, tenant.key("auditor"))) {
            assertThat(agent.call("execute", "{\"mode\":\"status\",\"states\":[]}")
                            .textAt("/error/message"))
                    .contains("states", "mode list");
            assertThat(agent.call("execute", "{\"code\":\"return 1\",\"cached\":\"a\"}")
                            .textAt("/error/member"))
                    .isEqualTo("cached");
            assertThat(agent.call("execute", "{}").textAt("/error/member")).isEqualTo("code");
            assertThat(agent.call("execute", "{\"rerun\":\"x\"}").textAt("/error/member"))
                    .isEqualTo("rerun");
            assertThat(agent.call("execute", "{\"mode\":\"walk\"}").textAt("/error/member"))
                    .isEqualTo("mode");
            assertThat(agent.call("execute", "{\"cached\":\"nowhere\"}").textAt("/error/code"))
                    .isEqualTo("not-found");
            assertThat(auditor.call("execute", "{\"code\":\"return 1\"}").textAt("/error/code"))
                    .isEqualTo("forbidden");
            assertThat(auditor.call("execute", "{\"mode\":\"list\",\"limit\":1}")
                            .expectSuccess()
                            .content()
                            .has("items"))
                    .isTrue();
        }
    }

    @Test
    void runTestsReturnsTheReport() {
        try (McpTestClient agent = newClient()) {
            McpCallResult fine = agent.call("run_tests", """
                    {"code":"return args.a * 2","args":{"a":21},
                     "tests":"test('doubles', async () => assert.is(1 + 1, 2)); test.skip('later', () => {})"}
                    """).expectSuccess();
            assertThat(fine.textAt("/success")).isEqualTo("true");
            assertThat(fine.textAt("/summary/passed")).isEqualTo("1");
            assertThat(fine.textAt("/summary/skipped")).isEqualTo("1");
            assertThat(api.getExecution(fine.textAt("/id")).path("state").asText())
                    .isEqualTo("COMPLETED");
            McpCallResult wrong = agent.call(
                    "run_tests", "{\"code\":\"return 1\",\"tests\":\"test('fails', () => assert.is(1, 2))\"}");
            assertThat(wrong.failed()).isTrue();
            assertThat(wrong.textAt("/tests/0/name")).isEqualTo("fails");
            assertThat(wrong.textAt("/summary/failed")).isEqualTo("1");
            assertThat(agent.call("run_tests", "{\"code\":\"return 1\"}").textAt("/error/code"))
                    .isEqualTo("validation");
        }
    }

    private void publish(String capability) {
        api.post("/api/v1/capabilities", capability).expectStatus(201);
    }

    @Test
    void capabilityRunsByNameAndAsItsOwnTool() {
        publish("""
                {"name":"sums.add_up","version":"1.0.0","code":"return await tools.demo.add(args)",
                 "description":"Adds two numbers up.","tools":["demo.add"],
                 "inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},\
                "required":["a","b"]}}
                """);
        publish("""
                {"name":"shout","version":"1.0.0","code":"return args.toUpperCase()","inputSchema":{"type":"string"}}
                """);
        try (McpTestClient agent = newClient()) {
            McpCallResult named = agent.call(
                            "run_capability", "{\"capability\":\"sums.add_up\",\"args\":{\"a\":1,\"b\":2}}")
                    .expectSuccess();
            assertThat(named.textAt("/result")).isEqualTo("3");
            McpSchema.Tool own = agent.client().listTools().tools().stream()
                    .filter(tool -> tool.name().equals("capability-sums__add_up"))
                    .findFirst()
                    .orElseThrow();
            assertThat(own.description()).isEqualTo("Adds two numbers up.");
            assertThat(TestJson.write(agent.toJson(own.inputSchema()))).contains("\"required\":[\"a\",\"b\"]");
            McpCallResult ran =
                    agent.call("capability-sums__add_up", "{\"a\":40,\"b\":2}").expectSuccess();
            assertThat(ran.textAt("/result")).isEqualTo("42");
            assertThat(agent.call("capability-sums__add_up", "{\"a\":40}").textAt("/error/code"))
                    .isEqualTo("invalid-arguments");
            assertThat(agent.call("capability-shout", "{\"args\":\"hey\"}")
                            .expectSuccess()
                            .textAt("/result"))
                    .isEqualTo("HEY");
            assertThat(agent.call("run_capability", "{\"capability\":\"none\"}").textAt("/error/code"))
                    .isEqualTo("not-found");
        }
        try (McpTestClient stranger = McpTestClient.withoutElicitation(server, otherTenant.key())) {
            assertThat(stranger.toolNames())
                    .contains("run_capability")
                    .noneMatch(name -> name.startsWith("capability-"));
            assertThatThrownBy(() -> stranger.call("capability-shout", "{\"args\":\"hey\"}"))
                    .isInstanceOf(McpError.class);
        }
        try (McpTestClient auditor = McpTestClient.withoutElicitation(server, tenant.key("auditor"))) {
            assertThat(auditor.toolNames()).doesNotContain("run_capability", "capability-shout");
        }
    }

    @Test
    void scriptErrorsNameLineAndColumn() {
        try (McpTestClient agent = newClient()) {
            McpCallResult threw =
                    agent.call("run_script", runScriptArguments("const a = 1;\nthrow new Error('no ' + a)"));
            assertThat(threw.failed()).isTrue();
            assertThat(threw.textAt("/state")).isEqualTo("FAILED");
            assertThat(threw.textAt("/error/code")).isEqualTo("script-error");
            assertThat(threw.textAt("/error/line")).isEqualTo("2");
            int before = api.listExecutionIds().size();
            McpCallResult unread = agent.call("run_script", runScriptArguments("return 1 +* 2"));
            assertThat(unread.failed()).isTrue();
            assertThat(unread.textAt("/error/code")).isEqualTo("syntax-error");
            assertThat(unread.textAt("/error/line")).isEqualTo("1");
            assertThat(unread.textAt("/error/codeFrame")).contains("+*");
            McpCallResult strange = agent.call("run_script", "{\"code\":\"return 1\",\"tenant\":\"other\"}");
            assertThat(strange.textAt("/error/code")).isEqualTo("validation");
            assertThat(strange.textAt("/error/message")).contains("tenant");
            McpCallResult late = agent.call("run_script", "{\"code\":\"return 1\",\"waitSeconds\":100000}");
            assertThat(late.textAt("/error/member")).isEqualTo("waitSeconds");
            assertThat(api.listExecutionIds()).hasSize(before);
            assertThatThrownBy(() -> agent.call("no_such_tool", "{}"))
                    .isInstanceOf(McpError.class)
                    .hasMessageContaining("no_such_tool");
        }
    }

    @Test
    void outputStreamsWhileTheScriptRuns() {
        try (McpTestClient agent = newClient()) {
            CompletableFuture<McpCallResult> running = CompletableFuture.supplyAsync(() -> agent.call(
                    "run_script",
                    runScriptArguments("for (let i = 0; i < 4; i++) { console.log('line', i); console.error('warn', i);"
                            + " await sleep(3000); } return 'end'")));
            Await.until(
                    "output comes before the end",
                    TIMEOUT,
                    () -> agent.progressNotifications().stream()
                            .anyMatch(each -> text(each).contains("line 0")));
            assertThat(running).isNotDone();
            McpCallResult ran = running.join().expectSuccess();
            // The SDK delivers each notification on a separate thread, possibly after it returns the result. The
            // progress numbers give their order.
            Await.until(
                    "the agent has received all output",
                    TIMEOUT,
                    () -> outputInOrder(sortedProgress(agent)).length()
                            == ran.textAt("/output").length()
                                    + ran.textAt("/errorOutput").length());
            List<McpSchema.ProgressNotification> heard = sortedProgress(agent);
            assertThat(text(heard.get(0))).contains(ran.textAt("/id"));
            assertThat(heard.get(0).meta()).containsEntry("org.sallyport/execution", ran.textAt("/id"));
            assertThat(output(heard)).isEqualTo(ran.textAt("/output"));
            assertThat(outputInOrder(heard))
                    .isEqualTo("line 0\nwarn 0\nline 1\nwarn 1\nline 2\nwarn 2\nline 3\nwarn 3\n");
            int sequence = 0;
            for (McpSchema.ProgressNotification part : heard) {
                if (part.meta().containsKey("org.sallyport/stream")) {
                    assertThat(part.meta())
                            .containsEntry("org.sallyport/sequence", sequence)
                            .containsKey("org.sallyport/at");
                    sequence += text(part).length();
                }
            }
            List<Double> steps =
                    heard.stream().map(McpSchema.ProgressNotification::progress).toList();
            assertThat(steps).doesNotHaveDuplicates();
        }
    }

    private static List<McpSchema.ProgressNotification> sortedProgress(McpTestClient agent) {
        return agent.progressNotifications().stream()
                .sorted(Comparator.comparing(McpSchema.ProgressNotification::progress))
                .toList();
    }

    private static String output(List<McpSchema.ProgressNotification> heard) {
        return heard.stream()
                .filter(each -> "output".equals(each.meta().get("org.sallyport/stream")))
                .map(McpEndpointIT::text)
                .collect(Collectors.joining());
    }

    private static String outputInOrder(List<McpSchema.ProgressNotification> heard) {
        return heard.stream()
                .filter(each -> each.meta().containsKey("org.sallyport/stream"))
                .map(McpEndpointIT::text)
                .collect(Collectors.joining());
    }

    private static String text(McpSchema.ProgressNotification progress) {
        return String.valueOf(progress.message());
    }

    @Test
    void longScriptContinuesAndCanBePolledAndCancelled() {
        try (McpTestClient agent = newClient()) {
            McpCallResult begun = agent.call(
                            "run_script",
                            "{\"code\":\"console.log('on'); for (;;) await sleep(200)\",\"waitSeconds\":4}")
                    .expectSuccess();
            assertThat(begun.textAt("/state")).isEqualTo("RUNNING");
            assertThat(begun.textAt("/note")).contains("execution_status");
            String id = "{\"id\":\"" + begun.textAt("/id") + "\"}";
            Await.until(
                    "its output is told",
                    TIMEOUT,
                    () -> agent.call("execution_status", id)
                            .expectSuccess()
                            .textAt("/output")
                            .equals("on\n"));
            agent.call("cancel_execution", id).expectSuccess();
            McpCallResult ended = agent.call(
                            "execution_status", "{\"id\":\"" + begun.textAt("/id") + "\",\"waitSeconds\":20}")
                    .expectSuccess();
            assertThat(ended.textAt("/state")).isEqualTo("CANCELLED");
            McpCallResult repeated = agent.call("cancel_execution", id);
            assertThat(repeated.textAt("/error/code")).isEqualTo("already-terminal");
        }
    }

    @Test
    void idempotencyKeySubmitsOnceAndExecutionsAreListedInPages() {
        try (McpTestClient agent = newClient()) {
            String key = UUID.randomUUID().toString();
            String once = "{\"code\":\"return 'once'\",\"idempotencyKey\":\"" + key + "\"}";
            String id = agent.call("submit_script", once).expectSuccess().textAt("/id");
            assertThat(agent.call("submit_script", once).expectSuccess().textAt("/id"))
                    .isEqualTo(id);
            assertThat(agent.call("run_script", once).expectSuccess().textAt("/id"))
                    .isEqualTo(id);
            String otherOrder = "{\"idempotencyKey\":\"" + key + "\",\"code\":\"return 'once'\"}";
            assertThat(agent.call("run_script", otherOrder).expectSuccess().textAt("/id"))
                    .isEqualTo(id);
            McpCallResult other = agent.call("submit_script", once.replace("'once'", "'twice'"));
            assertThat(other.textAt("/error/code")).isEqualTo("idempotency-conflict");
            for (int i = 0; i < 4; i++) {
                agent.call("submit_script", runScriptArguments("return " + i)).expectSuccess();
            }
            List<String> pages = new ArrayList<>();
            String cursor = "";
            for (int i = 0; i < 3; i++) {
                JsonNode page = agent.call("list_executions", "{\"limit\":2" + cursor + "}")
                        .expectSuccess()
                        .content();
                page.path("items").forEach(item -> pages.add(item.path("id").asText()));
                cursor = ",\"cursor\":\"" + page.path("next").asText() + "\"";
            }
            assertThat(pages)
                    .hasSize(6)
                    .doesNotHaveDuplicates()
                    .isEqualTo(api.listExecutionIds().subList(0, 6));
            assertThat(agent.call("list_executions", "{\"states\":[\"LOST\"]}").textAt("/error/code"))
                    .isEqualTo("validation");
            assertThat(agent.call("list_executions", "{\"cursor\":\"x\"}").textAt("/error/code"))
                    .isEqualTo("validation");
        }
    }

    @Test
    void executionsOfAnotherTenantAreNotVisible() {
        try (McpTestClient ours = newClient();
                McpTestClient theirs = McpTestClient.withoutElicitation(server, otherTenant.key())) {
            String id = ours.call("run_script", runScriptArguments("return 'ours'"))
                    .expectSuccess()
                    .textAt("/id");
            for (String tool : List.of("execution_status", "cancel_execution")) {
                McpCallResult result = theirs.call(tool, "{\"id\":\"" + id + "\"}");
                assertThat(result.failed()).isTrue();
                assertThat(result.textAt("/error/code")).isEqualTo("not-found");
            }
            assertThat(theirs.call("list_executions", "{}")
                            .expectSuccess()
                            .content()
                            .toString())
                    .doesNotContain(id);
        }
    }

    @Test
    void agentLetsAWaitingScriptContinue() {
        String waiting = api.submit(SubmissionBody.javascript("""
                const event = events.next('of.agent'); await sleep(1); console.log('listening');
                return (await event).data;
                """));
        api.awaitOutput(waiting, "listening");
        String event = "{\"name\": \"of.agent\", \"payload\": [1], \"idempotencyKey\": \"k\"}";
        try (McpTestClient agent = newClient()) {
            String seq = agent.call("emit_event", event).expectSuccess().textAt("/seq");
            assertThat(agent.call("emit_event", event).expectSuccess().textAt("/seq"))
                    .isEqualTo(seq);
            McpCallResult refused = agent.call("emit_event", "{\"name\": \"\"}");
            assertThat(refused.textAt("/error/code")).isEqualTo("validation");
        }
        assertThat(api.awaitEnd(waiting).path("result")).hasToString("[1]");
    }

    @Test
    void agentSeesAndUsesOnlyTheToolsOfItsRole() {
        try (McpTestClient auditor = McpTestClient.withoutElicitation(server, tenant.key("auditor"));
                McpTestClient operator = McpTestClient.withoutElicitation(server, tenant.key("operator"))) {
            assertThat(auditor.toolNames())
                    .containsExactlyInAnyOrder(
                            "execution_status",
                            "list_executions",
                            "list_saved_scripts",
                            "get_saved_script",
                            "execute",
                            "batch_status",
                            "search_tools",
                            "get_tool_interface");
            McpCallResult refused = auditor.call("run_script", runScriptArguments("return 1"));
            assertThat(refused.failed()).isTrue();
            assertThat(refused.textAt("/error/code")).isEqualTo("forbidden");
            auditor.call("list_executions", "{}").expectSuccess();
            assertThat(operator.toolNames()).contains("cancel_execution").doesNotContain("submit_script");
        }
    }

    private static final String MAIL_SCRIPT =
            "return await demo.send_mail({ to: 'ada', subject: args, body: 'b' }).then(() => 'sent', (e) => e.message)";

    private McpCallResult runMailScript(McpTestClient agent, int waitSeconds) {
        return agent.call(
                "run_script",
                TestJson.write(TestJson.object()
                        .put("code", MAIL_SCRIPT)
                        .put("args", UUID.randomUUID().toString())
                        .put("waitSeconds", waitSeconds)));
    }

    @Test
    void userOfTheClientDecidesByElicitation() {
        List<McpSchema.ElicitFormRequest> asked = new CopyOnWriteArrayList<>();
        try (McpTestClient agent = McpTestClient.withElicitation(server, tenant.key(), request -> {
            asked.add(request);
            return new McpSchema.ElicitResult(Action.ACCEPT, Map.of("decision", "approve", "note", "go on"));
        })) {
            McpCallResult sent = runMailScript(agent, 30).expectSuccess();
            assertThat(sent.textAt("/result")).isEqualTo("sent");
            assertThat(asked).singleElement().satisfies(request -> {
                assertThat(request.message())
                        .contains("demo.send_mail", "\"to\":\"ada\"", "cannot be undone")
                        .containsPattern("Without a decision by 20[^ ]+Z, the call is denied\\.");
                assertThat(request.requestedSchema().toString()).contains("decision", "approve", "deny");
            });
        }
        try (McpTestClient agent = McpTestClient.withElicitation(
                server, tenant.key(), request -> new McpSchema.ElicitResult(Action.DECLINE, Map.of()))) {
            assertThat(runMailScript(agent, 30).expectSuccess().textAt("/result"))
                    .contains("denied");
        }
        try (McpTestClient agent = McpTestClient.withElicitation(
                server,
                tenant.key(),
                request ->
                        new McpSchema.ElicitResult(Action.ACCEPT, Map.of("decision", "deny", "note", "not today")))) {
            assertThat(runMailScript(agent, 30).expectSuccess().textAt("/result"))
                    .contains("not today");
        }
    }

    @Tag("slow")
    @Test
    void clientWithoutElicitationOrRoleSeesThePendingApproval() {
        List<McpSchema.ElicitFormRequest> asked = new CopyOnWriteArrayList<>();
        try (McpTestClient alone = newClient();
                McpTestClient submitter = McpTestClient.withElicitation(server, tenant.key("submitter"), request -> {
                    asked.add(request);
                    return new McpSchema.ElicitResult(Action.ACCEPT, Map.of("decision", "approve"));
                })) {
            for (McpTestClient agent : List.of(alone, submitter)) {
                McpCallResult waits = runMailScript(agent, 15).expectSuccess();
                assertThat(waits.textAt("/state")).isEqualTo("WAITING");
                assertThat(waits.textAt("/waitingFor/reason")).isEqualTo("approval");
                String approval = waits.textAt("/approvals/0/id");
                assertThat(waits.textAt("/approvals/0/tool")).isEqualTo("demo.send_mail");
                assertThat(agent.progressNotifications().stream().map(McpEndpointIT::text))
                        .anyMatch(text -> text.contains(approval) && text.contains("demo.send_mail"));
                api.post("/api/v1/approvals/" + approval + "/deny", "{}").expectStatus(200);
                assertThat(agent.call("execution_status", "{\"id\":\"" + waits.textAt("/id") + "\",\"waitSeconds\":20}")
                                .expectSuccess()
                                .textAt("/state"))
                        .isEqualTo("COMPLETED");
            }
        }
        assertThat(asked).isEmpty();
    }

    @Tag("slow")
    @Test
    void theInspectorListsToolsAndRunsAScript() {
        List<String> inspector = new ArrayList<>(NodeJsPackages.inspectorCommand());
        inspector.addAll(List.of(
                "--cli",
                server.url() + McpTestClient.MCP_PATH,
                "--transport",
                "http",
                "--header",
                "Authorization: Bearer " + tenant.key(),
                "--method"));
        assertThat(runInspector(inspector, "tools/list").path("tools").findValuesAsText("name"))
                .contains("run_script", "search_tools");
        JsonNode ran = runInspector(
                inspector,
                "tools/call",
                "--tool-name",
                "run_script",
                "--tool-arg",
                "code=console.log('hello'); return await demo.add({ a: 1, b: 2 })");
        assertThat(ran.at("/structuredContent/result").asInt())
                .as(ran.toString())
                .isEqualTo(3);
        assertThat(ran.at("/structuredContent/output").asText()).isEqualTo("hello\n");
    }

    private static JsonNode runInspector(List<String> inspector, String... more) {
        List<String> command = new ArrayList<>(inspector);
        command.addAll(List.of(more));
        return TestJson.read(
                CommandResult.run(Map.of(), command).expectExitCode(0).output());
    }
}
