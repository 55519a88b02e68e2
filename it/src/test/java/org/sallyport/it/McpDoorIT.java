package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.ElicitResult.Action;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Agent;
import org.sallyport.it.harness.Agent.Told;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Command;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.NodeServers;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Server;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Tenant;

/** The door for agents, as clients written by others find it. */
@Server(Profile.RICH)
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class McpDoorIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final SallyportServer server;
    private final Tenant us;
    private final Tenant them;
    private final Api api;

    McpDoorIT(SallyportServer server, Tenant us, Tenant them) {
        this.server = server;
        this.us = us;
        this.them = them;
        this.api = us.api();
    }

    private Agent agent() {
        return Agent.alone(server, us.key());
    }

    private static String script(String code) {
        return Json.write(Json.object().put("code", code));
    }

    @Test
    void anAgentIsToldWhatThereIsAndHowToUseIt() {
        try (Agent agent = agent()) {
            assertThat(agent.client().getServerInfo().name()).isEqualTo("sallyport");
            assertThat(agent.client().getServerInstructions()).contains("run_script", "tools.backend.tool(args)");
            assertThat(agent.tools())
                    .contains(
                            "run_script",
                            "submit_script",
                            "run_capability",
                            "run_tests",
                            "execution_status",
                            "cancel_execution",
                            "list_executions",
                            "search_tools",
                            "get_tool_interface");
            agent.client().ping();
            Told found = agent.call("search_tools", "{\"query\":\"add\"}").ok();
            assertThat(found.content().path("items").findValuesAsText("name")).contains("demo.add");
            Told add =
                    agent.call("get_tool_interface", "{\"name\":\"demo.add\"}").ok();
            assertThat(add.at("/declaration")).contains("add(args: {", "a: number");
            assertThat(add.content().at("/inputSchema/properties").has("b")).isTrue();
            Told none = agent.call("get_tool_interface", "{\"name\":\"demo.ad\"}");
            assertThat(none.failed()).isTrue();
            assertThat(none.at("/error/code")).isEqualTo("not-found");
            assertThat(none.at("/error/message")).contains("demo.add");
        }
    }

    @Test
    void aScriptIsRunAndItsResultAndOutputComeBack() {
        try (Agent agent = agent()) {
            Told ran = agent.call("run_script", """
                    {"code":"console.log('adding'); const n: number = await tools.demo.add(args); console.error('done'); return { n };",
                     "language":"typescript","args":{"a":40,"b":2},"grants":["demo.*"],"intent":"to see"}
                    """).ok();
            assertThat(ran.at("/state")).isEqualTo("COMPLETED");
            assertThat(ran.at("/result/n")).isEqualTo("42");
            assertThat(ran.at("/output")).isEqualTo("adding\n");
            assertThat(ran.at("/errorOutput")).isEqualTo("done\n");
            JsonNode stored = api.execution(ran.at("/id"));
            assertThat(stored.path("intent").asText()).isEqualTo("to see");
        }
    }

    @Test
    void testsAreRunAndTheirReportComesBack() {
        try (Agent agent = agent()) {
            Told fine = agent.call("run_tests", """
                    {"code":"return args.a * 2","args":{"a":21},
                     "tests":"test('doubles', async () => assert.is(1 + 1, 2)); test.skip('later', () => {})"}
                    """).ok();
            assertThat(fine.at("/success")).isEqualTo("true");
            assertThat(fine.at("/summary/passed")).isEqualTo("1");
            assertThat(fine.at("/summary/skipped")).isEqualTo("1");
            assertThat(api.execution(fine.at("/id")).path("state").asText()).isEqualTo("COMPLETED");
            Told wrong = agent.call(
                    "run_tests", "{\"code\":\"return 1\",\"tests\":\"test('fails', () => assert.is(1, 2))\"}");
            assertThat(wrong.failed()).isTrue();
            assertThat(wrong.at("/tests/0/name")).isEqualTo("fails");
            assertThat(wrong.at("/summary/failed")).isEqualTo("1");
            assertThat(agent.call("run_tests", "{\"code\":\"return 1\"}").at("/error/code"))
                    .isEqualTo("validation");
        }
    }

    private void publish(String capability) {
        api.post("/api/v1/capabilities", capability).expect(201);
    }

    @Test
    void aCapabilityIsRunByItsNameAndIsAToolOfItsOwn() {
        publish("""
                {"name":"sums.add_up","version":"1.0.0","code":"return await tools.demo.add(args)",
                 "description":"Adds two numbers up.","tools":["demo.add"],
                 "inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}}
                """);
        publish("""
                {"name":"shout","version":"1.0.0","code":"return args.toUpperCase()","inputSchema":{"type":"string"}}
                """);
        try (Agent agent = agent()) {
            Told named = agent.call("run_capability", "{\"capability\":\"sums.add_up\",\"args\":{\"a\":1,\"b\":2}}")
                    .ok();
            assertThat(named.at("/result")).isEqualTo("3");
            McpSchema.Tool own = agent.client().listTools().tools().stream()
                    .filter(tool -> tool.name().equals("capability-sums__add_up"))
                    .findFirst()
                    .orElseThrow();
            assertThat(own.description()).isEqualTo("Adds two numbers up.");
            assertThat(Json.write(agent.json(own.inputSchema()))).contains("\"required\":[\"a\",\"b\"]");
            Told ran =
                    agent.call("capability-sums__add_up", "{\"a\":40,\"b\":2}").ok();
            assertThat(ran.at("/result")).isEqualTo("42");
            assertThat(agent.call("capability-sums__add_up", "{\"a\":40}").at("/error/code"))
                    .isEqualTo("invalid-arguments");
            assertThat(agent.call("capability-shout", "{\"args\":\"hey\"}").ok().at("/result"))
                    .isEqualTo("HEY");
            assertThat(agent.call("run_capability", "{\"capability\":\"none\"}").at("/error/code"))
                    .isEqualTo("not-found");
        }
        try (Agent stranger = Agent.alone(server, them.key())) {
            assertThat(stranger.tools()).contains("run_capability").noneMatch(name -> name.startsWith("capability-"));
            assertThatThrownBy(() -> stranger.call("capability-shout", "{\"args\":\"hey\"}"))
                    .isInstanceOf(McpError.class);
        }
        try (Agent auditor = Agent.alone(server, us.key("auditor"))) {
            assertThat(auditor.tools()).doesNotContain("run_capability", "capability-shout");
        }
    }

    @Test
    void whatIsWrongWithAScriptIsNamedByLineAndColumn() {
        try (Agent agent = agent()) {
            Told threw = agent.call("run_script", script("const a = 1;\nthrow new Error('no ' + a)"));
            assertThat(threw.failed()).isTrue();
            assertThat(threw.at("/state")).isEqualTo("FAILED");
            assertThat(threw.at("/error/code")).isEqualTo("script-error");
            assertThat(threw.at("/error/line")).isEqualTo("2");
            int before = api.ids().size();
            Told unread = agent.call("run_script", script("return 1 +* 2"));
            assertThat(unread.failed()).isTrue();
            assertThat(unread.at("/error/code")).isEqualTo("syntax-error");
            assertThat(unread.at("/error/line")).isEqualTo("1");
            assertThat(unread.at("/error/codeFrame")).contains("+*");
            Told strange = agent.call("run_script", "{\"code\":\"return 1\",\"tenant\":\"other\"}");
            assertThat(strange.at("/error/code")).isEqualTo("validation");
            assertThat(strange.at("/error/message")).contains("tenant");
            Told late = agent.call("run_script", "{\"code\":\"return 1\",\"waitSeconds\":100000}");
            assertThat(late.at("/error/member")).isEqualTo("waitSeconds");
            assertThat(api.ids()).hasSize(before);
            assertThatThrownBy(() -> agent.call("no_such_tool", "{}"))
                    .isInstanceOf(McpError.class)
                    .hasMessageContaining("no_such_tool");
        }
    }

    @Test
    void outputStreamsWhileTheScriptRuns() {
        try (Agent agent = agent()) {
            CompletableFuture<Told> running = CompletableFuture.supplyAsync(() -> agent.call(
                    "run_script",
                    script("for (let i = 0; i < 4; i++) { console.log('line', i); await sleep(3000); } return 'end'")));
            Await.until(
                    "output comes before the end",
                    SOON,
                    () -> agent.heard().stream().anyMatch(each -> text(each).contains("line 0")));
            assertThat(running).isNotDone();
            Told ran = running.join().ok();
            // The SDK tells of each on a thread of its own, and not before it gives the answer: their numbers are their
            // order.
            Await.until(
                    "all of the output is heard",
                    SOON,
                    () -> output(inOrder(agent)).equals(ran.at("/output")));
            List<McpSchema.ProgressNotification> heard = inOrder(agent);
            assertThat(text(heard.get(0))).contains(ran.at("/id"));
            assertThat(heard.get(0).meta()).containsEntry("org.sallyport/execution", ran.at("/id"));
            assertThat(output(heard)).isEqualTo(ran.at("/output"));
            List<Double> steps =
                    heard.stream().map(McpSchema.ProgressNotification::progress).toList();
            assertThat(steps).doesNotHaveDuplicates();
        }
    }

    private static List<McpSchema.ProgressNotification> inOrder(Agent agent) {
        return agent.heard().stream()
                .sorted(Comparator.comparing(McpSchema.ProgressNotification::progress))
                .toList();
    }

    private static String output(List<McpSchema.ProgressNotification> heard) {
        return heard.stream()
                .filter(each -> "output".equals(each.meta().get("org.sallyport/stream")))
                .map(McpDoorIT::text)
                .collect(Collectors.joining());
    }

    private static String text(McpSchema.ProgressNotification progress) {
        return String.valueOf(progress.message());
    }

    @Test
    void whatTakesLongGoesOnAndCanBeAskedForAndCancelled() {
        try (Agent agent = agent()) {
            Told begun = agent.call(
                            "run_script",
                            "{\"code\":\"console.log('on'); for (;;) await sleep(200)\",\"waitSeconds\":4}")
                    .ok();
            assertThat(begun.at("/state")).isEqualTo("RUNNING");
            assertThat(begun.at("/note")).contains("execution_status");
            String id = "{\"id\":\"" + begun.at("/id") + "\"}";
            Await.until(
                    "its output is told",
                    SOON,
                    () -> agent.call("execution_status", id).ok().at("/output").equals("on\n"));
            agent.call("cancel_execution", id).ok();
            Told ended = agent.call("execution_status", "{\"id\":\"" + begun.at("/id") + "\",\"waitSeconds\":20}")
                    .ok();
            assertThat(ended.at("/state")).isEqualTo("CANCELLED");
            Told again = agent.call("cancel_execution", id);
            assertThat(again.at("/error/code")).isEqualTo("already-terminal");
        }
    }

    @Test
    void aScriptIsSubmittedOnceByItsKeyAndListedPageByPage() {
        try (Agent agent = agent()) {
            String key = UUID.randomUUID().toString();
            String once = "{\"code\":\"return 'once'\",\"idempotencyKey\":\"" + key + "\"}";
            String id = agent.call("submit_script", once).ok().at("/id");
            assertThat(agent.call("submit_script", once).ok().at("/id")).isEqualTo(id);
            assertThat(agent.call("run_script", once).ok().at("/id")).isEqualTo(id);
            Told other = agent.call("submit_script", once.replace("'once'", "'twice'"));
            assertThat(other.at("/error/code")).isEqualTo("idempotency-conflict");
            for (int i = 0; i < 4; i++) {
                agent.call("submit_script", script("return " + i)).ok();
            }
            List<String> pages = new ArrayList<>();
            String cursor = "";
            for (int i = 0; i < 3; i++) {
                JsonNode page = agent.call("list_executions", "{\"limit\":2" + cursor + "}")
                        .ok()
                        .content();
                page.path("items").forEach(item -> pages.add(item.path("id").asText()));
                cursor = ",\"cursor\":\"" + page.path("next").asText() + "\"";
            }
            assertThat(pages)
                    .hasSize(6)
                    .doesNotHaveDuplicates()
                    .isEqualTo(api.ids().subList(0, 6));
            assertThat(agent.call("list_executions", "{\"states\":[\"LOST\"]}").at("/error/code"))
                    .isEqualTo("validation");
            assertThat(agent.call("list_executions", "{\"cursor\":\"x\"}").at("/error/code"))
                    .isEqualTo("validation");
        }
    }

    @Test
    void anotherTenantsExecutionsAreNotThere() {
        try (Agent ours = agent();
                Agent theirs = Agent.alone(server, them.key())) {
            String id = ours.call("run_script", script("return 'ours'")).ok().at("/id");
            for (String tool : List.of("execution_status", "cancel_execution")) {
                Told told = theirs.call(tool, "{\"id\":\"" + id + "\"}");
                assertThat(told.failed()).isTrue();
                assertThat(told.at("/error/code")).isEqualTo("not-found");
            }
            assertThat(theirs.call("list_executions", "{}").ok().content().toString())
                    .doesNotContain(id);
        }
    }

    @Test
    void anAgentSeesAndUsesWhatItsRoleMay() {
        try (Agent auditor = Agent.alone(server, us.key("auditor"));
                Agent operator = Agent.alone(server, us.key("operator"))) {
            assertThat(auditor.tools())
                    .containsExactlyInAnyOrder(
                            "execution_status", "list_executions", "search_tools", "get_tool_interface");
            Told refused = auditor.call("run_script", script("return 1"));
            assertThat(refused.failed()).isTrue();
            assertThat(refused.at("/error/code")).isEqualTo("forbidden");
            auditor.call("list_executions", "{}").ok();
            assertThat(operator.tools()).contains("cancel_execution").doesNotContain("submit_script");
        }
    }

    private static final String MAIL =
            "return await demo.send_mail({ to: 'ada', subject: args, body: 'b' }).then(() => 'sent', (e) => e.message)";

    private Told mail(Agent agent, int waitSeconds) {
        return agent.call(
                "run_script",
                Json.write(Json.object()
                        .put("code", MAIL)
                        .put("args", UUID.randomUUID().toString())
                        .put("waitSeconds", waitSeconds)));
    }

    @Test
    void theClientsUserIsAskedAndHisWordDecides() {
        List<McpSchema.ElicitFormRequest> asked = new CopyOnWriteArrayList<>();
        try (Agent agent = Agent.with(server, us.key(), request -> {
            asked.add(request);
            return new McpSchema.ElicitResult(Action.ACCEPT, Map.of("decision", "approve", "note", "go on"));
        })) {
            Told sent = mail(agent, 30).ok();
            assertThat(sent.at("/result")).isEqualTo("sent");
            assertThat(asked).singleElement().satisfies(request -> {
                assertThat(request.message())
                        .contains("demo.send_mail", "\"to\":\"ada\"", "cannot be taken back")
                        .containsPattern("If nobody decides by 20[^ ]+Z, it is denied\\.");
                assertThat(request.requestedSchema().toString()).contains("decision", "approve", "deny");
            });
        }
        try (Agent agent =
                Agent.with(server, us.key(), request -> new McpSchema.ElicitResult(Action.DECLINE, Map.of()))) {
            assertThat(mail(agent, 30).ok().at("/result")).contains("denied");
        }
        try (Agent agent = Agent.with(
                server,
                us.key(),
                request ->
                        new McpSchema.ElicitResult(Action.ACCEPT, Map.of("decision", "deny", "note", "not today")))) {
            assertThat(mail(agent, 30).ok().at("/result")).contains("not today");
        }
    }

    @Tag("slow")
    @Test
    void whoCannotBeAskedOrMayNotDecideIsToldWhatIsWaitedFor() {
        List<McpSchema.ElicitFormRequest> asked = new CopyOnWriteArrayList<>();
        try (Agent alone = agent();
                Agent submitter = Agent.with(server, us.key("submitter"), request -> {
                    asked.add(request);
                    return new McpSchema.ElicitResult(Action.ACCEPT, Map.of("decision", "approve"));
                })) {
            for (Agent agent : List.of(alone, submitter)) {
                Told waits = mail(agent, 15).ok();
                assertThat(waits.at("/state")).isEqualTo("WAITING");
                assertThat(waits.at("/waitingFor/reason")).isEqualTo("approval");
                String approval = waits.at("/approvals/0/id");
                assertThat(waits.at("/approvals/0/tool")).isEqualTo("demo.send_mail");
                assertThat(agent.heard().stream().map(McpDoorIT::text))
                        .anyMatch(text -> text.contains(approval) && text.contains("demo.send_mail"));
                api.post("/api/v1/approvals/" + approval + "/deny", "{}").expect(200);
                assertThat(agent.call("execution_status", "{\"id\":\"" + waits.at("/id") + "\",\"waitSeconds\":20}")
                                .ok()
                                .at("/state"))
                        .isEqualTo("COMPLETED");
            }
        }
        assertThat(asked).isEmpty();
    }

    @Tag("slow")
    @Test
    void theInspectorListsToolsAndRunsAScript() {
        List<String> inspector = new ArrayList<>(NodeServers.inspector());
        inspector.addAll(List.of(
                "--cli",
                server.url() + Agent.DOOR,
                "--transport",
                "http",
                "--header",
                "Authorization: Bearer " + us.key(),
                "--method"));
        assertThat(inspect(inspector, "tools/list").path("tools").findValuesAsText("name"))
                .contains("run_script", "search_tools");
        JsonNode ran = inspect(
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

    private static JsonNode inspect(List<String> inspector, String... more) {
        List<String> command = new ArrayList<>(inspector);
        command.addAll(List.of(more));
        return Json.read(Command.run(Map.of(), command).expect(0).out());
    }
}
