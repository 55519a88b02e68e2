package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.testsupport.TimingAssertions;

/** Tool calls of scripts, and the trace of these calls. */
@ExtendWith(ServerExtension.class)
class ToolCallsIT {
    private final RestClient api;

    ToolCallsIT(RestClient api) {
        this.api = api;
    }

    @Test
    void traceHasNoGapAndAnEndForEachStart() {
        JsonNode execution = api.run(SubmissionBody.javascript("""
                const calls = [];
                for (let i = 0; i < 30; i++) calls.push(demo.slow({ millis: (i * 7) % 50, value: i }));
                const first = await Promise.allSettled(calls);
                for (let i = 0; i < 20; i++) await demo.echo(i);
                try { await demo.fail({ message: "no" }); } catch (e) { }
                return first.length;
                """));

        List<JsonNode> trace = api.getTrace(execution.path("id").asText());

        assertThat(trace.stream().map(event -> event.path("seq").asLong()).toList())
                .isEqualTo(java.util.stream.LongStream.rangeClosed(1, trace.size())
                        .boxed()
                        .toList());
        Map<Long, String> open = new HashMap<>();
        List<Long> ended = new ArrayList<>();
        Instant last = Instant.EPOCH;
        for (JsonNode event : trace) {
            Instant at = Instant.parse(event.path("at").asText());
            assertThat(at).describedAs(event.toString()).isAfterOrEqualTo(last);
            last = at;
            long call = event.path("call").asLong();
            if (event.path("type").asText().equals("tool_start")) {
                assertThat(open.put(call, event.path("tool").asText())).isNull();
            } else if (event.path("type").asText().equals("tool_end")) {
                assertThat(open.remove(call)).isEqualTo(event.path("tool").asText());
                ended.add(call);
            }
        }
        assertThat(open).isEmpty();
        assertThat(ended).hasSize(51).doesNotHaveDuplicates();
        assertThat(trace.get(0).path("state").asText()).isEqualTo("RUNNING");
        assertThat(trace.get(trace.size() - 1).path("state").asText()).isEqualTo("COMPLETED");
    }

    @Test
    void aBeanOfTheApplicationIsCalledLikeAnyTool() {
        JsonNode execution = api.run(SubmissionBody.javascript("""
                const said = await httpbin.anything({ method: "POST", path: "/a", headers: { "X-One": "1" }, body: { \
                n: 1.5 } });
                const failed = await httpbin.anything({ status: 404 }).catch((e) => [e.code, e.message, e.retryable]);
                const refused = [];
                for (const argument of [{ status: 42 }, { status: "no" }, { method: "LOOK" }, { colour: "red" }])
                  try { await httpbin.anything(argument); } catch (e) { refused.push(e.code); }
                return { said, failed, refused };
                """));

        String id = execution.path("id").asText();
        assertThat(execution.path("result")).as(execution.toString()).isEqualTo(TestJson.read("""
                { "said": { "status": 200, "asked": { "method": "POST", "path": "/a", "headers": { "X-One": "1" },
                    "body": { "n": 1.5 }, "callId": "%s/1" } },
                  "failed": ["tool-failed", "the server answered 404", false],
                  "refused": ["invalid-arguments", "invalid-arguments", "invalid-arguments", "invalid-arguments"] }
                """.formatted(id)));
        List<JsonNode> ended = api.getTrace(id).stream()
                .filter(event -> event.path("type").asText().equals("tool_end"))
                .toList();
        JsonNode nodes = api.get("/api/v1/nodes").expectStatus(200).json();
        assertThat(ended.subList(0, 2)).allSatisfy(end -> {
            assertThat(end.path("tool").asText()).isEqualTo("httpbin.anything");
            assertThat(end.path("node").asText()).isNotEmpty();
            assertThat(nodes.toString()).contains("\"" + end.path("node").asText() + "\"");
            assertThat(end.has("backendMillis")).isTrue();
        });
        assertThat(ended.get(0).path("success").asBoolean()).isTrue();
        assertThat(ended.get(1).path("success").asBoolean()).isFalse();
    }

    @Test
    void traceIsReadPageByPage() {
        String id = api.run(SubmissionBody.javascript("for (let i = 0; i < 10; i++) await demo.echo(i);"))
                .path("id")
                .asText();

        JsonNode first = api.get(RestClient.EXECUTIONS + "/" + id + "/trace?limit=5")
                .expectStatus(200)
                .json();
        JsonNode second = api.get(RestClient.EXECUTIONS + "/" + id + "/trace?limit=5&after="
                        + first.path("next").asLong())
                .expectStatus(200)
                .json();

        assertThat(first.path("events")).hasSize(5);
        assertThat(second.path("events").get(0).path("seq").asInt()).isEqualTo(6);
    }

    @Test
    void callsInParallelOverlap() {
        JsonNode execution =
                api.run(SubmissionBody.javascript("return await Promise.all([demo.slow({ millis: 4000, value: 'a' }),"
                        + " demo.slow({ millis: 4000, value: 'b' })]);"));

        assertThat(execution.path("result")).isEqualTo(TestJson.read("[\"a\", \"b\"]"));
        List<JsonNode> calls = api.getTrace(execution.path("id").asText()).stream()
                .filter(event -> event.has("call"))
                .toList();
        assertThat(calls.stream().map(event -> event.path("type").asText()))
                .containsExactly("tool_start", "tool_start", "tool_end", "tool_end");
        Duration whole = Duration.between(
                Instant.parse(calls.get(0).path("at").asText()),
                Instant.parse(calls.get(3).path("at").asText()));
        assertThat(calls.get(2).path("durationMillis").asLong()).isGreaterThanOrEqualTo(4_000L);
        TimingAssertions.assertAtMost(Duration.ofMillis(7_900), whole);
        JsonNode nodes = api.get("/api/v1/nodes").expectStatus(200).json();
        for (JsonNode ended : calls.subList(2, 4)) {
            assertThat(ended.path("backendMillis").asLong())
                    .as(ended.toString())
                    .isBetween(3_990L, ended.path("durationMillis").asLong());
            assertThat(nodes.findValuesAsText("id")).contains(ended.path("node").asText());
        }
    }

    @Test
    void callsWithoutAConnectorNameNoNode() {
        JsonNode execution = api.run(SubmissionBody.javascript("""
                await demo.add({ a: 'x' }).catch(() => 0);
                await demo.no_such({}).catch(() => 0);
                await events.emit('told', 1);
                return 1;"""));
        assertThat(api.getTrace(execution.path("id").asText()))
                .filteredOn(event -> event.path("type").asText().equals("tool_end"))
                .hasSize(3)
                .noneMatch(event -> event.has("node") || event.has("backendMillis"));
    }

    @Test
    void failedToolIsAnErrorThatTheScriptCanCatch() {
        JsonNode execution = api.run(SubmissionBody.javascript("""
                try {
                  await demo.fail({ message: "out of stock", code: "E-17" });
                } catch (e) {
                  return { error: e instanceof Error, name: e.name, code: e.code, message: e.message, backend: \
                e.backend,
                           tool: e.tool, retryable: e.retryable, details: e.details };
                }
                """));

        assertThat(execution.path("result"))
                .isEqualTo(TestJson.read("{\"error\": true, \"name\": \"ToolError\", \"code\": \"tool-failed\","
                        + " \"message\": \"out of stock\", \"backend\": \"demo\", \"tool\": \"fail\", \"retryable\": "
                        + "false,"
                        + " \"details\": {\"code\": \"E-17\"}}"));
    }

    @Test
    void uncaughtToolErrorFailsTheExecutionAndNamesTheTool() {
        JsonNode error = api.run(SubmissionBody.javascript("await demo.echo(1);\nawait demo.fail({ message: 'no' });"))
                .path("error");

        assertThat(error.path("code").asText()).isEqualTo("tool-failed");
        assertThat(error.path("culprit").asText()).isEqualTo("tool");
        assertThat(error.path("tool").asText()).isEqualTo("demo.fail");
        assertThat(error.path("call").asInt()).isEqualTo(2);
        assertThat(error.path("line").asInt()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    demo.kv_get     | demo.kv_put({ key: "k", value: 1 })                   | not-granted       | \
                    demo.kv_put
                    *               | demo.ecko(1)                                          | tool-not-found    | \
                    demo.echo
                    *               | tools.demmo.echo(1)                                   | tool-not-found    | demmo
                    *               | demo.add({ a: 1, b: "two" })                          | invalid-arguments | b
                    *               | demo.add({ a: 1 })                                    | invalid-arguments | b
                    *               | demo.slow({ millis: -1 })                             | invalid-arguments | millis
                    """)
    void refusedCallReportsItsReasonAndIsTraced(String grant, String call, String code, String named) {
        JsonNode execution = api.run(SubmissionBody.javascript(
                        "try { await " + call + "; } catch (e) { return [e.name, e.code, e.message]; }")
                .grants(grant));

        assertThat(execution.path("result").path(0).asText())
                .describedAs(execution.toString())
                .isEqualTo("ToolError");
        assertThat(execution.path("result").path(1).asText()).isEqualTo(code);
        assertThat(execution.path("result").path(2).asText()).contains(named);
        JsonNode end = api.getTrace(execution.path("id").asText()).stream()
                .filter(event -> event.path("type").asText().equals("tool_end"))
                .findFirst()
                .orElseThrow();
        assertThat(end.path("success").asBoolean(true)).isFalse();
        assertThat(end.path("error").path("code").asText()).isEqualTo(code);
    }

    @Test
    void blockedAttemptsAreCountedOnTheExecution() {
        JsonNode execution = api.run(SubmissionBody.javascript("""
                        const tried = [() => Deno.readFile('/etc'), () => new WebSocket('x'), () => require('fs')];
                        for (const attempt of [...tried, tried[0]]) try { attempt(); } catch {}
                        await demo.kv_put({ key: 'k', value: 1 }).catch(() => 0);
                        return 'ended';""").grants("demo.kv_get"));

        assertThat(execution.path("result").asText())
                .describedAs(execution.toString())
                .isEqualTo("ended");
        assertThat(execution.at("/blockedAttempts/total").asInt())
                .describedAs(execution.toString())
                .isEqualTo(5);
        assertThat(execution.at("/blockedAttempts/attempts"))
                .contains(
                        TestJson.read("{\"kind\":\"global\",\"name\":\"Deno.readFile\",\"count\":2}"),
                        TestJson.read("{\"kind\":\"global\",\"name\":\"WebSocket\",\"count\":1}"),
                        TestJson.read("{\"kind\":\"module\",\"name\":\"fs\",\"count\":1}"),
                        TestJson.read("{\"kind\":\"tool\",\"name\":\"demo.kv_put\",\"count\":1}"));
        assertThat(api.run(SubmissionBody.javascript("return typeof Deno")).has("blockedAttempts"))
                .isFalse();
    }

    /** Checks the limits whose names appear in the error messages for script authors. */
    @Test
    void everyLimitNamedByAnErrorCanBeRequestedAndIsEnforced() {
        String limits = "{\"concurrentCalls\":2,\"resultChars\":300,\"argumentChars\":30,\"timers\":1,\"artifacts\":1,"
                + "\"artifactBytes\":5,\"events\":0}";
        JsonNode execution = api.run(SubmissionBody.javascript("""
                const told = [];
                const tell = (e) => told.push(e.message.match(/limits\\.(\\w+)/)?.[1] ?? e.message);
                const tried = async (what) => { try { await what(); } catch (e) { tell(e); } };
                await Promise.all([1, 2, 3].map((n) => tried(() => demo.echo({ n }))));
                await tried(() => demo.echo('x'.repeat(40)));
                const timer = setTimeout(() => {}, 60000);
                await tried(() => setTimeout(() => {}, 60000));
                clearTimeout(timer);
                await tried(() => artifacts.write('a', '123456'));
                await tried(() => artifacts.write('a', '12345'));
                await tried(() => artifacts.write('b', '1'));
                await tried(() => events.emit('e', 1));
                return told;""").with("limits", limits));

        assertThat(execution.path("result").toString())
                .as(execution.toString())
                .isEqualTo("[\"argumentChars\",\"timers\",\"artifactBytes\",\"artifacts\",\"events\"]");
        assertThat(execution.path("limits").path("concurrentCalls").asInt()).isEqualTo(2);
        assertThat(execution.path("limits").path("timers").asInt()).isEqualTo(1);
        JsonNode wide =
                api.run(SubmissionBody.javascript("return 'x'.repeat(200)").with("limits", "{\"resultChars\":100}"));
        assertThat(wide.path("error").path("code").asText()).isEqualTo("result-too-large");
        assertThat(wide.path("error").path("message").asText()).contains("limits.resultChars");
    }

    @Test
    void demoToolsBehaveAsDescribed() {
        JsonNode result = api.run(SubmissionBody.javascript("""
                const before = await demo.kv_get({ key: args });
                await demo.kv_put({ key: args, value: { deep: [1, null, "x"] } });
                const after = await demo.kv_get({ key: args });
                const counts = [await demo.counter_increment({ name: args }),
                                await demo.counter_increment({ name: args, by: 41, delayMillis: 20 }),
                                await demo.counter_read({ name: args })];
                const flaky = [];
                for (let i = 0; i < 3; i++) {
                  try { flaky.push(await demo.flaky({ name: args, failures: 2 })); } catch (e) { flaky.push([e.code, \
                e.retryable]); }
                }
                return { before, after, counts, ledger: await demo.counter_ledger({ name: args }), flaky,
                         add: [await demo.add({ a: 1, b: 2 }), await demo.add({ a: 0.5, b: 0.25 })],
                         clock: await demo.clock(), echo: await demo.echo({ a: [1, "\uD83D\uDE00", null] }),
                         slow: await demo.slow({ millis: 1 }) };
                """).args("\"" + UUID.randomUUID() + "\""))
                .path("result");

        assertThat(result.path("before").isNull()).isTrue();
        assertThat(result.path("after")).isEqualTo(TestJson.read("{\"deep\": [1, null, \"x\"]}"));
        assertThat(result.path("counts")).isEqualTo(TestJson.read("[1, 42, 42]"));
        assertThat(result.path("flaky"))
                .isEqualTo(TestJson.read("[[\"backend-unavailable\", true], [\"backend-unavailable\", true], 3]"));
        assertThat(result.path("add")).isEqualTo(TestJson.read("[3, 0.75]"));
        assertThat(Duration.between(Instant.parse(result.path("clock").asText()), Instant.now()))
                .isBetween(Duration.ZERO, Duration.ofMinutes(1));
        assertThat(result.path("echo")).isEqualTo(TestJson.read("{\"a\": [1, \"\uD83D\uDE00\", null]}"));
        assertThat(result.path("slow").isNull()).isTrue();
    }

    @Test
    void ledgerHoldsTheIdsOfTheCallsThatCounted() {
        JsonNode execution = api.run(SubmissionBody.javascript("""
                await demo.echo(0);
                await Promise.all([1, 2, 3].map(by => demo.counter_increment({ name: args, by })));
                return { count: await demo.counter_read({ name: args }), ledger: await demo.counter_ledger({ name: \
                args }) };
                """).args("\"" + UUID.randomUUID() + "\""));

        String id = execution.path("id").asText();
        assertThat(execution.path("result").path("count").asInt()).isEqualTo(6);
        List<String> ledger = new ArrayList<>();
        execution.path("result").path("ledger").forEach(call -> ledger.add(call.asText()));
        assertThat(ledger).containsExactlyInAnyOrder(id + "/2", id + "/3", id + "/4");
    }

    @Test
    void catalogListsTheDemoToolsWithTheirSchemas() {
        JsonNode tools = api.get("/api/v1/tools").expectStatus(200).json().path("items");

        ObjectNode byName = JsonNodeFactory.instance.objectNode();
        tools.forEach(tool -> byName.set(tool.path("name").asText(), tool));
        assertThat(byName.fieldNames())
                .toIterable()
                .contains(
                        "demo.echo",
                        "demo.add",
                        "demo.clock",
                        "demo.slow",
                        "demo.fail",
                        "demo.flaky",
                        "demo.kv_get",
                        "demo.kv_put",
                        "demo.counter_read",
                        "demo.counter_increment",
                        "demo.counter_ledger",
                        "demo.send_mail",
                        "demo.outbox");
        assertThat(byName.path("demo.add").path("inputSchema").path("required"))
                .isEqualTo(TestJson.read("[\"a\", \"b\"]"));
        assertThat(byName.path("demo.add").path("readOnly").asBoolean()).isTrue();
        assertThat(byName.path("demo.kv_put").path("idempotent").asBoolean()).isTrue();
        assertThat(byName.path("demo.counter_increment").path("idempotent").asBoolean(true))
                .isFalse();
        assertThat(byName.path("demo.send_mail").path("destructive").asBoolean())
                .isTrue();
    }
}
