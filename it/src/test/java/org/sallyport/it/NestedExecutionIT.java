package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** Scripts that run capabilities, each as a nested execution. */
@UseServer(ServerProfile.SMALL)
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NestedExecutionIT {
    private static final String CAPABILITIES = "/api/v1/capabilities";
    private static final String CHILDREN = RestClient.EXECUTIONS + "/{id}/children";

    private final RestClient operator;
    private final RestClient api;

    NestedExecutionIT(RestClient operator, TestTenant tenant) {
        this.operator = operator;
        this.api = tenant.api();
    }

    @BeforeAll
    void publish() {
        publish(
                "shop.fees",
                "export default async ({ price }) => { console.log('adding'); return demo.add({ a: price, b: 1 }); };",
                """
                "inputSchema": {"type": "object", "required": ["price"], "properties": {"price": {"type": "number"}}},
                "outputSchema": {"type": "number"}, "tools": ["demo.add"]""");
        publish("shop.plain", "return args.n + 1", "\"tools\": []");
        publish("shop.fails", "throw new Error('no luck')", "\"tools\": []");
        publish("shop.hangs", "await sleep(600_000)", "\"tools\": []");
        publish("shop.mails", "return demo.send_mail({ to: 'a', subject: 's', body: 'b' })", "\"tools\": [\"demo.*\"]");
        publish("flow.puts", "return demo.kv_put({ key: 'k', value: 2 })", "\"tools\": [\"demo.kv_put\"]");
        publish("flow.gets", "return demo.kv_get({ key: 'k' })", "\"tools\": [\"demo.kv_get\"]");
        publish("ring.one", "return capabilities.ring.two({})", "\"tools\": [\"capabilities.*\"]");
        publish("ring.two", "return capabilities.ring.one({})", "\"tools\": [\"capabilities.*\"]");
        publish("deep.a", "return capabilities.deep.b({})", "\"tools\": [\"capabilities.*\", \"demo.add\"]");
        publish("deep.b", "return capabilities.deep.c({})", "\"tools\": [\"capabilities.*\", \"demo.add\"]");
        publish(
                "deep.c",
                "return capabilities.shop.fees({ price: 1 })",
                "\"tools\": [\"capabilities.*\", \"demo.add\"]");
    }

    private void publish(String name, String code, String members) {
        api.post(
                        CAPABILITIES,
                        "{\"name\": \"" + name + "\", \"version\": \"1.0.0\", \"code\": "
                                + TestJson.write(TestJson.object().put("c", code))
                                        .replaceFirst("^\\{\"c\":", "")
                                        .replaceFirst("}$", "")
                                + ", " + members + "}")
                .expectStatus(201);
    }

    private JsonNode run(String code) {
        return api.run(SubmissionBody.javascript(code));
    }

    private List<JsonNode> children(String id) {
        String path = RestClient.EXECUTIONS + "/" + id + "/children";
        var answer = api.get(path).expectStatus(200);
        assertThat(OpenApiResponseValidator.of(api).validate("GET", CHILDREN, answer))
                .isEmpty();
        List<JsonNode> all = new ArrayList<>();
        answer.json().path("items").forEach(all::add);
        return all;
    }

    @Test
    void capabilityRunsAsANestedExecution() {
        JsonNode ended = run("return [await capabilities.shop.fees({ price: 2 }), await mcp.shop.fees({ price: 3 })];");
        assertThat(ended.path("result")).as(ended.toString()).isEqualTo(TestJson.read("[3, 4]"));
        String id = ended.path("id").asText();
        List<JsonNode> children = children(id);
        assertThat(children).extracting(child -> child.path("parent").asText()).containsExactly(id, id);
        assertThat(children)
                .extracting(child -> child.path("capability").asText())
                .containsOnly("shop.fees@1.0.0");
        JsonNode child = api.getExecution(children.get(0).path("id").asText());
        assertThat(child.path("grants")).isEqualTo(TestJson.read("[\"demo.add\"]"));
        assertThat(child.path("output").asText()).isEqualTo("adding\n");
        assertThat(children(child.path("id").asText())).isEmpty();
        assertThat(api.get(RestClient.EXECUTIONS + "?parent=" + id).json().path("items"))
                .hasSize(2);
        for (String record : List.of("trace", "journal")) {
            var answer =
                    api.get(RestClient.EXECUTIONS + "/" + id + "/" + record).expectStatus(200);
            assertThat(OpenApiResponseValidator.of(api)
                            .validate("GET", RestClient.EXECUTIONS + "/{id}/" + record, answer))
                    .isEmpty();
            assertThat(describeCalls(answer.json().path("events")))
                    .as(record)
                    .containsExactly(
                            "capability_start 1 capabilities.shop.fees shop.fees@1.0.0 "
                                    + children.get(1).path("id").asText(),
                            "capability_end 1 capabilities.shop.fees shop.fees@1.0.0 "
                                    + children.get(1).path("id").asText(),
                            "capability_start 2 shop.fees shop.fees@1.0.0 "
                                    + children.get(0).path("id").asText(),
                            "capability_end 2 shop.fees shop.fees@1.0.0 "
                                    + children.get(0).path("id").asText());
        }
        assertThat(describeCalls(api.getTrace(child.path("id").asText())))
                .containsExactly("tool_start 1 demo.add  ", "tool_end 1 demo.add  ");
        assertThat(operator.get("/metrics")
                        .expectStatus(200)
                        .text()
                        .lines()
                        .filter(line -> line.startsWith("sallyport_tool_calls_total")))
                .anyMatch(line -> line.contains("backend=\"capabilities\""))
                .noneMatch(line -> line.contains("shop"));
    }

    /** The calls of a trace: type, ordinal, name, capability and execution of each. */
    private static List<String> describeCalls(Iterable<JsonNode> events) {
        List<String> calls = new ArrayList<>();
        for (JsonNode event : events) {
            if (event.path("type").asText().matches("(tool|capability)_(start|end)")) {
                calls.add(String.join(
                        " ",
                        event.path("type").asText(),
                        event.path("call").asText(),
                        event.path("tool").asText(),
                        event.path("capability").asText(),
                        event.path("execution").asText()));
            }
        }
        return calls;
    }

    @Test
    void callWithoutNestedExecutionIsACapabilityCallOnlyByItsName() {
        JsonNode ended = run("""
                const made = [];
                for (const call of [
                  () => capabilities.no.such({}), () => mcp.no.such({}), () => demo.echo({ tool: \
                'capabilities.shop.fees' }),
                  () => mcp.demo['capabilities.shop.fees']({}), () => capabilities.shop.fees({ price: 'x' }),
                ]) made.push(await call().then(() => 'ok', (e) => e.code));
                return made;""");
        assertThat(ended.path("result"))
                .as(ended.toString())
                .isEqualTo(TestJson.read(
                        "[\"tool-not-found\",\"tool-not-found\",\"ok\",\"tool-not-found\",\"invalid-arguments\"]"));
        assertThat(describeCalls(api.getTrace(ended.path("id").asText())))
                .containsExactly(
                        "capability_start 1 capabilities.no.such  ",
                        "capability_end 1 capabilities.no.such  ",
                        "tool_start 2 no.such  ",
                        "tool_end 2 no.such  ",
                        "tool_start 3 demo.echo  ",
                        "tool_end 3 demo.echo  ",
                        "tool_start 4 demo.capabilities.shop.fees  ",
                        "tool_end 4 demo.capabilities.shop.fees  ",
                        "capability_start 5 capabilities.shop.fees  ",
                        "capability_end 5 capabilities.shop.fees  ");
    }

    @Test
    void traceNamesTheNestedExecutionOfARunningCall() {
        String parent = api.submit(SubmissionBody.javascript("return mcp.shop.hangs({});"));
        Await.until("a child", Duration.ofSeconds(60), () -> !children(parent).isEmpty());
        String child = children(parent).get(0).path("id").asText();
        Await.until(
                "the call is told",
                Duration.ofSeconds(60),
                () -> !describeCalls(api.getTrace(parent)).isEmpty());
        assertThat(describeCalls(api.getTrace(parent)))
                .containsExactly("capability_start 1 shop.hangs shop.hangs@1.0.0 " + child);
        api.post(RestClient.EXECUTIONS + "/" + parent + "/cancel", "").expectStatus(202);
        api.awaitEnd(parent);
        assertThat(describeCalls(api.getTrace(parent)))
                .containsExactly(
                        "capability_start 1 shop.hangs shop.hangs@1.0.0 " + child,
                        "capability_end 1 shop.hangs shop.hangs@1.0.0 " + child);
        String events =
                api.get(RestClient.EXECUTIONS + "/" + parent + "/events").text();
        assertThat(events.lines().filter(line -> line.contains("\"capability_")))
                .hasSize(2)
                .allMatch(line -> line.contains("\"execution\":\"" + child + "\""));
    }

    /** A nested execution has at most the grants of the capability that runs it. */
    @Test
    void promotedCapabilityMayRunTheCapabilitiesOfItsOrigin() {
        JsonNode ended = run("return [await mcp.shop.fees({ price: 3 }), await capabilities.shop.plain({ n: 1 })];");
        JsonNode promoted = api.post(
                        RestClient.EXECUTIONS + "/" + ended.path("id").asText() + "/capability",
                        "{\"name\": \"shop.again\", \"version\": \"1.0.0\"}")
                .expectStatus(201)
                .json();
        assertThat(promoted.path("tools"))
                .isEqualTo(TestJson.read("[\"capabilities.shop.fees\", \"capabilities.shop.plain\", \"demo.add\"]"));
        assertThat(promoted.path("tested").asBoolean()).isTrue();
        JsonNode ran = run("return await capabilities.shop.again({});");
        assertThat(ran.path("result")).as(ran.toString()).isEqualTo(TestJson.read("[4, 2]"));
    }

    @Test
    void nestedFailuresAreReportedToTheParent() {
        String caught =
                "try { await %s; } catch (e) { return [e.code, e.message, e.details?.code, e instanceof ToolError]; }";
        JsonNode failed = run(caught.formatted("capabilities.shop.fails({})")).path("result");
        assertThat(failed.get(0).asText()).isEqualTo("capability-failed");
        assertThat(failed.get(1).asText()).contains("shop.fails@1.0.0").contains("no luck");
        assertThat(failed.get(2).asText()).isEqualTo("script-error");
        assertThat(failed.get(3).asBoolean()).isTrue();
        assertThat(run(caught.formatted("capabilities.shop.fees({ price: 'x' })"))
                        .at("/result/0")
                        .asText())
                .isEqualTo("invalid-arguments");
        assertThat(run(caught.formatted("capabilities.no.such({})"))
                        .at("/result/0")
                        .asText())
                .isEqualTo("tool-not-found");
        assertThat(run(caught.formatted("mcp.no.such({})")).at("/result/1").asText())
                .startsWith("there is no tool 'no.such'");
        JsonNode uncaught = run("return capabilities.shop.fails({});");
        assertThat(uncaught.at("/error/code").asText()).isEqualTo("capability-failed");
        assertThat(uncaught.at("/error/tool").asText()).isEqualTo("capabilities.shop.fails");
    }

    @Test
    void nestedExecutionGetsOnlyGrantsOfItsParent() {
        JsonNode nothing = api.run(SubmissionBody.javascript("return capabilities.shop.fees({ price: 1 });")
                .with("grants", "[\"demo.*\"]"));
        assertThat(nothing.at("/error/code").asText()).isEqualTo("not-granted");
        JsonNode narrowed = api.run(SubmissionBody.javascript("return capabilities.shop.mails({});")
                .with("grants", "[\"capabilities.shop.*\", \"demo.add\"]"));
        assertThat(narrowed.at("/error/code").asText()).isEqualTo("capability-failed");
        String child = children(narrowed.path("id").asText()).get(0).path("id").asText();
        assertThat(api.getExecution(child).path("grants")).isEqualTo(TestJson.read("[\"demo.add\"]"));
        assertThat(api.getExecution(child).at("/error/code").asText()).isEqualTo("not-granted");
    }

    /** A script must not send data out that another execution of the same tree read under a label. */
    @ParameterizedTest
    @CsvSource({"down,journal", "down,none", "up,journal", "up,none"})
    void labelsApplyToTheWholeExecutionTree(String way, String durability) {
        api.post("/api/v1/policies", """
                        {"document": {"labels": {"private": ["demo.kv_get"]}, "rules": [
                          {"name": "no-leak", "tools": ["demo.kv_put"], "seen": ["private"],
                           "decision": "deny"}]}}""").expectStatus(201);
        JsonNode ended = api.run(
                SubmissionBody.javascript("""
                        const put = () => demo.kv_put({ key: 'k', value: 1 }).then(() => 'put', (e) => e.details.rule);
                        const below = () => capabilities.flow.puts({}).then(() => 'put', (e) => e.details.code);
                        const before = [await put(), await below()];
                        await (args === 'down' ? demo.kv_get({ key: 'k' }) : mcp.flow.gets({}));
                        const after = [await below(), await put()];
                        return before.concat(after);
                        """).args('"' + way + '"').with("durability", '"' + durability + '"'));
        assertThat(ended.path("result"))
                .as(ended.toString())
                .isEqualTo(TestJson.read("[\"put\",\"put\",\"denied\",\"no-leak\"]"));
    }

    @Test
    void cyclesDepthAndNumberOfNestedExecutionsAreLimited() {
        String why = "try { return await %s; } catch (e) { return e.message; }";
        assertThat(run(why.formatted("capabilities.ring.one({})"))
                        .path("result")
                        .asText())
                .contains("'ring.one' already runs in this chain of calls: ring.one > ring.two > ring.one");
        assertThat(run(why.formatted("capabilities.deep.a({})")).path("result").asText())
                .contains("sallyport.limits.max-nesting-depth");
        assertThat(run("return capabilities.deep.b({});").path("result").asInt())
                .isEqualTo(2);
        JsonNode many = run("""
                let made = 0;
                try { for (;;) { await capabilities.shop.fees({ price: made }); made++; } }
                catch (e) { return [made, e.code]; }""");
        assertThat(many.path("result")).isEqualTo(TestJson.read("[20, \"call-limit\"]"));
    }

    @Test
    void endOfTheParentCancelsItsNestedExecutions() {
        String given = api.submit(SubmissionBody.javascript(
                "capabilities.shop.hangs({}).catch(() => 0); for (let i = 0; i < 15; i++) await sleep(200); "
                        + "return 1;"));
        assertThat(api.awaitEnd(given).path("result").asInt()).isEqualTo(1);
        String left = children(given).get(0).path("id").asText();
        assertThat(api.awaitEnd(left).path("state").asText()).isEqualTo("CANCELLED");
    }
}
