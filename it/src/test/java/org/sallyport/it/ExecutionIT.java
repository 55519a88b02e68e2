package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.testsupport.TimingAssertions;

/** The life of one execution, from submission to result. */
@ExtendWith(ServerExtension.class)
class ExecutionIT {
    private final RestClient api;

    ExecutionIT(RestClient api) {
        this.api = api;
    }

    @Test
    void javascriptSeesItsInputAndReturnsItsResult() {
        JsonNode execution = api.run(SubmissionBody.javascript("console.log('to', args.name); console.error('beside');"
                        + " return { sum: await demo.add({ a: args.n, b: 2 }), context, frozen: "
                        + "Object.isFrozen(args.deep) };")
                .args("{\"name\": \"Ada\", \"n\": 40, \"deep\": {}}")
                .with("context", "{\"from\": [1, null, true]}"));

        assertThat(execution.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(execution.path("result"))
                .isEqualTo(TestJson.read("{\"sum\": 42, \"context\": {\"from\": [1, null, true]}, \"frozen\": true}"));
        assertThat(execution.path("output").asText()).isEqualTo("to Ada\n");
        assertThat(execution.path("errorOutput").asText()).isEqualTo("beside\n");
        assertThat(execution.path("attempt").asInt()).isEqualTo(1);
        assertThat(execution.path("language").asText()).isEqualTo("javascript");
    }

    @Test
    void typescriptRunsWithoutItsTypes() {
        JsonNode execution = api.run(SubmissionBody.typescript("""
                        import type { Nothing } from "nowhere";
                        enum Colour { Red = 3, Green }
                        interface Input { n: number }
                        const twice = <T extends number>(n: T): number => n * 2;
                        const input = args as Input;
                        return { colour: Colour.Green, twice: twice(input.n), name: Colour[3] };
                        """).args("{\"n\": 21}"));

        assertThat(execution.path("result"))
                .describedAs(execution.toString())
                .isEqualTo(TestJson.read("{\"colour\": 4, \"twice\": 42, \"name\": \"Red\"}"));
        assertThat(execution.path("language").asText()).isEqualTo("typescript");
    }

    @Test
    void textOfAModelIsAScript() {
        JsonNode typed = api.run(SubmissionBody.javascript("""
                        This matches src/*.ts in the project:

                        ```
                        interface Input { n: number }
                        async function run(input: Input): Promise<number> {
                          using counter = { [Symbol.dispose]() { console.log('closed'); } };
                          return twice(input.n);
                        }
                        function twice(n: number) { return n * 2; }
                        ```
                        """).args("{\"n\": 21}"));
        assertThat(typed.path("result").asInt()).describedAs(typed.toString()).isEqualTo(42);
        assertThat(typed.path("language").asText()).isEqualTo("typescript");
        assertThat(typed.path("output").asText()).isEqualTo("closed\n");

        JsonNode unused = api.run(SubmissionBody.javascript("async function handler() {}\nconst retries = 3;"));
        assertThat(unused.path("result").isNull()).isTrue();
        assertThat(unused.path("language").asText()).isEqualTo("javascript");
        assertThat(unused.path("errorOutput").asText()).contains("never used handler");
    }

    @Test
    void modulesWithMainAndJsonCallsAreScripts() {
        JsonNode module = api.run(SubmissionBody.javascript(
                        "export default async function main(args, context) { return [args.a, context.b]; }")
                .args("{\"a\": 1}")
                .with("context", "{\"b\": 2}"));
        JsonNode call =
                api.run(SubmissionBody.javascript("{ \"tool\": \"demo.add\", \"arguments\": { \"a\": 1, \"b\": 2 } }"));

        assertThat(module.path("result")).isEqualTo(TestJson.read("[1, 2]"));
        assertThat(call.path("result")).isEqualTo(TestJson.read("3"));
    }

    @Test
    void answerHasTheTraceIfAsked() {
        SubmissionBody script = SubmissionBody.javascript("return demo.add({ a: 1, b: 2 });");
        JsonNode ran = api.send(api.request(RestClient.EXECUTIONS + "?include=trace")
                        .header("Content-Type", "application/json")
                        .header("Prefer", "wait=30")
                        .POST(RestClient.body(script.json())))
                .expectStatus(200)
                .json();
        String path = RestClient.EXECUTIONS + "/" + ran.path("id").asText();

        assertThat(ran.path("trace").path("events").findValuesAsText("type"))
                .contains("tool_start", "tool_end")
                .endsWith("state");
        assertThat(ran.path("trace")).isEqualTo(api.get(path + "/trace").json());
        assertThat(api.get(path + "?include=trace").json()).isEqualTo(ran);
        assertThat(api.get(path).json().has("trace")).isFalse();
        assertThat(api.get(path + "?include=result").status()).isEqualTo(400);
        String refused = RestClient.EXECUTIONS + "?include=result";
        assertThat(api.post(refused, script.label("kind", "refused").json()).status())
                .isEqualTo(400);
        assertThat(api.get(RestClient.EXECUTIONS + "?label=kind:refused").json().path("items"))
                .isEmpty();
    }

    @Test
    void acceptedSubmissionReturnsItsLocationAndKeepsItsOptions() {
        RestResponse accepted = api.post(
                RestClient.EXECUTIONS,
                SubmissionBody.javascript("return 1;")
                        .with("priority", "7")
                        .with("intent", "\"to see it echoed\"")
                        .grants("demo.echo", "demo.kv_*")
                        .label("team", "blue")
                        .limit("wallMillis", 5_000)
                        .limit("cpuMillis", 4_000)
                        .limit("heapBytes", 32 << 20)
                        .limit("toolCalls", 3)
                        .limit("outputChars", 1_000)
                        .json());

        accepted.expectStatus(202);
        JsonNode execution = accepted.json();
        String id = execution.path("id").asText();
        assertThat(accepted.header("Location")).endsWith(RestClient.EXECUTIONS + "/" + id);
        assertThat(id).matches("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
        assertThat(execution.path("state").asText()).isIn("PENDING", "RUNNING", "COMPLETED");
        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("priority").asInt()).isEqualTo(7);
        assertThat(ended.path("intent").asText()).isEqualTo("to see it echoed");
        assertThat(ended.path("grants")).isEqualTo(TestJson.read("[\"demo.echo\", \"demo.kv_*\"]"));
        assertThat(ended.path("labels")).isEqualTo(TestJson.read("{\"team\": \"blue\"}"));
        assertThat(ended.path("limits"))
                .isEqualTo(TestJson.read("{\"wallMillis\": 5000, \"cpuMillis\": 4000, \"heapBytes\": 33554432,"
                        + " \"toolCalls\": 3, \"outputChars\": 1000}"));
        Instant created = Instant.parse(ended.path("createdAt").asText());
        Instant started = Instant.parse(ended.path("startedAt").asText());
        Instant finished = Instant.parse(ended.path("finishedAt").asText());
        assertThat(started).isBetween(created, finished);
    }

    @Test
    void delayedExecutionStartsOnTimeAndCanBeCancelledBefore() {
        Instant soon = Instant.now().plusSeconds(4).truncatedTo(ChronoUnit.MICROS);
        String later = api.submit(SubmissionBody.javascript("return 1;").with("notBefore", "\"" + soon + "\""));
        String distant = api.submit(SubmissionBody.javascript("return 1;").with("delayMillis", "3600000"));
        JsonNode why = getWaitReason(distant);
        assertThat(why.path("reason").asText()).isEqualTo("scheduled");
        assertThat(why.path("until")).isEqualTo(api.getExecution(distant).path("notBefore"));
        assertThat(api.getExecution(later).path("notBefore").asText()).isEqualTo(soon.toString());
        api.cancel(distant);

        assertThat(api.awaitEnd(distant).path("state").asText()).isEqualTo("CANCELLED");
        JsonNode ended = api.awaitEnd(later);
        assertThat(ended.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(Instant.parse(ended.path("startedAt").asText())).isAfterOrEqualTo(soon);
        assertThat(api.post(
                                RestClient.EXECUTIONS,
                                SubmissionBody.javascript("return 1;")
                                        .with("deadline", "\"2020-01-01T00:00:00Z\"")
                                        .json())
                        .expectStatus(400)
                        .json()
                        .path("member")
                        .asText())
                .isEqualTo("deadline");
    }

    @Test
    void deadlineEndsRunningAndWaitingExecutions() {
        String deadline = "\"" + Instant.now().plusSeconds(6) + "\"";
        String running = api.submit(
                SubmissionBody.javascript("for (;;) await sleep(100);").with("deadline", deadline));
        String parked =
                api.submit(SubmissionBody.javascript("await sleep('3d');").with("deadline", deadline));
        String waiting = api.submit(SubmissionBody.javascript("return 1;").with("delayMillis", "1"));

        for (String id : List.of(running, parked)) {
            JsonNode ended = api.awaitEnd(id);
            assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("TIMED_OUT");
            assertThat(ended.path("error").path("code").asText()).isEqualTo("wall-clock-limit");
            assertThat(ended.path("error").path("message").asText()).contains("deadline");
        }
        assertThat(api.awaitEnd(waiting).path("state").asText()).isEqualTo("COMPLETED");
    }

    @Test
    void executionsWithOneConcurrencyKeyRunOneAfterTheOther() {
        String key = "\"key " + UUID.randomUUID() + "\"";
        String first = api.submit(SubmissionBody.javascript("console.log('begun'); for (;;) await sleep(200);")
                .with("concurrencyKey", key));
        api.awaitOutput(first, "begun");
        List<String> others = Stream.of("4", "4", "9")
                .map(priority -> api.submit(SubmissionBody.javascript("return 1;")
                        .with("concurrencyKey", key)
                        .with("priority", priority)))
                .toList();
        others.forEach(id -> Await.until(
                "it waits for its turn",
                Duration.ofSeconds(60),
                () -> getWaitReason(id).path("heldBy").equals(TestJson.read("[\"" + first + "\"]"))
                        && getWaitReason(id).path("reason").asText().equals("concurrency-key")));
        api.cancel(first);

        List<JsonNode> inTurn = Stream.concat(Stream.of(first), others.stream())
                .map(api::awaitEnd)
                .sorted(Comparator.comparing(
                        each -> Instant.parse(each.path("startedAt").asText())))
                .toList();
        assertThat(inTurn)
                .extracting(each -> each.path("state").asText())
                .containsExactly("CANCELLED", "COMPLETED", "COMPLETED", "COMPLETED");
        for (int i = 1; i < inTurn.size(); i++) {
            assertThat(Instant.parse(inTurn.get(i).path("startedAt").asText()))
                    .isAfterOrEqualTo(
                            Instant.parse(inTurn.get(i - 1).path("finishedAt").asText()));
        }
    }

    @Test
    void failedExecutionIsRunAgainUntilItCompletes() {
        SubmissionBody third = SubmissionBody.javascript(
                        "const n = await demo.counter_increment({ name: args }); console.log('attempt', n);"
                                + " if (n < 3) throw new Error('not yet'); return n;")
                .args("\"" + UUID.randomUUID() + "\"")
                .label("team", "retries")
                .with(
                        "retry",
                        "{\"attempts\": 5, \"delayMillis\": 100, \"errorCodes\": [\"script-error\"], "
                                + "\"afterWrites\": true}");

        RestResponse answer = api.send(api.submissionRequest(third.json(), "Prefer", "wait=30"));

        JsonNode last = answer.expectStatus(200).json();
        assertThat(last.path("state").asText()).as(last.toString()).isEqualTo("COMPLETED");
        assertThat(last.path("result").asInt()).isEqualTo(3);
        assertThat(last.path("output").asText()).isEqualTo("attempt 3\n");
        assertThat(last.at("/labels/team").asText()).isEqualTo("retries");
        assertThat(last.at("/retry/attempt").asInt()).isEqualTo(3);
        assertThat(answer.header("Location"))
                .endsWith("/executions/" + last.path("id").asText());
        JsonNode second = api.getExecution(last.at("/retry/previous").asText());
        JsonNode first = api.getExecution(second.at("/retry/previous").asText());
        for (JsonNode failed : List.of(first, second)) {
            assertThat(failed.path("state").asText()).isEqualTo("FAILED");
            assertThat(failed.at("/error/code").asText()).isEqualTo("script-error");
        }
        assertThat(first.at("/retry/next")).isEqualTo(second.path("id"));
        assertThat(last.at("/retry/first")).isEqualTo(first.path("id"));
        assertThat(second.at("/retry/next")).isEqualTo(last.path("id"));
    }

    @Test
    void executionThatWroteIsRunAgainOnlyOnRequest() {
        String always = ", \"delayMillis\": 100, \"errorCodes\": [\"script-error\"]}";
        JsonNode wrote = api.run(
                SubmissionBody.javascript("await demo.counter_increment({ name: args }); throw new Error('no');")
                        .args("\"" + UUID.randomUUID() + "\"")
                        .with("retry", "{\"attempts\": 3" + always));
        JsonNode read = api.run(SubmissionBody.javascript("await demo.clock(); throw new Error('no');")
                .with("retry", "{\"attempts\": 2" + always));
        JsonNode emitted = api.run(SubmissionBody.javascript("await events.emit('retry', 1); throw new Error('no');")
                .with("retry", "{\"attempts\": 2" + always));

        assertThat(wrote.at("/retry/notRetried").asText()).isEqualTo("writes");
        assertThat(wrote.at("/retry/attempt").asInt()).isEqualTo(1);
        assertThat(read.at("/retry/notRetried").asText()).isEqualTo("attempts");
        assertThat(read.at("/retry/attempt").asInt()).isEqualTo(2);
        assertThat(emitted.at("/retry/notRetried").asText()).isEqualTo("writes");
    }

    @Test
    void cancellingAFailedExecutionCancelsItsNextAttempt() {
        String id = api.submit(SubmissionBody.javascript("throw new Error('no');")
                .with("retry", "{\"attempts\": 3, \"delayMillis\": 3600000, \"errorCodes\": [\"script-error\"]}"));
        String next = api.awaitEnd(id).at("/retry/next").asText();

        JsonNode cancelled = api.cancel(id).expectStatus(202).json();

        assertThat(cancelled.path("id").asText()).isEqualTo(next);
        assertThat(cancelled.path("state").asText()).isEqualTo("CANCELLED");
        assertThat(cancelled.at("/retry/next").isMissingNode()).isTrue();
        assertThat(api.get("/api/v1/audit?object=" + id).expectStatus(200).text())
                .contains("cancelled its attempt " + next);
        assertThat(api.cancel(id).problemType()).isEqualTo("already-terminal");
    }

    @Test
    void repeatedRequestWaitsForTheLastAttempt() {
        String body = SubmissionBody.javascript("throw new Error('no');")
                .with("retry", "{\"attempts\": 3, \"delayMillis\": 100, \"errorCodes\": [\"script-error\"]}")
                .json();
        String key = UUID.randomUUID().toString();
        RestResponse first = api.send(api.submissionRequest(body, "Prefer", "wait=30", "Idempotency-Key", key));
        RestResponse repeated = api.send(api.submissionRequest(body, "Prefer", "wait=30", "Idempotency-Key", key));

        assertThat(first.expectStatus(200).json().at("/retry/attempt").asInt()).isEqualTo(3);
        assertThat(repeated.expectStatus(200).json().path("id"))
                .isEqualTo(first.json().path("id"));
        assertThat(repeated.header("Idempotent-Replayed")).isEqualTo("true");
    }

    @Test
    void retryDoesNotGoWithCancelOnClose() {
        RestResponse answer = api.post(
                RestClient.EXECUTIONS + "?cancelOnClose=true",
                SubmissionBody.javascript("return 1;")
                        .with("retry", "{\"attempts\": 2}")
                        .json());

        assertThat(answer.expectStatus(400).json().path("member").asText()).isEqualTo("retry");
    }

    @Test
    void retryPolicyBeyondTheLimitsIsRefused() {
        for (String retry : List.of(
                "{\"attempts\": 1000}",
                "{\"attempts\": 2, \"delayMillis\": 1}",
                "{\"attempts\": 2, \"errorCodes\": [\"syntax-error\"]}",
                "{\"attempts\": 2, \"errorCodes\": [\"runner-lost\"]}",
                "{\"attempts\": 2, \"errorCodes\": [\"outcome-unknown\"]}")) {
            assertThat(api.post(
                                    RestClient.EXECUTIONS,
                                    SubmissionBody.javascript("return 1;")
                                            .with("retry", retry)
                                            .json())
                            .expectStatus(400)
                            .json()
                            .path("member")
                            .asText())
                    .as(retry)
                    .startsWith("retry.");
        }
    }

    private JsonNode getWaitReason(String id) {
        return api.get(RestClient.EXECUTIONS + "/" + id + "/why")
                .expectStatus(200)
                .json();
    }

    @Test
    void preferWaitReturnsTheResultOrGivesUpInTime() {
        RestResponse quick = api.send(
                api.submissionRequest(SubmissionBody.javascript("return 'now';").json(), "Prefer", "wait=20"));
        Instant before = Instant.now();
        RestResponse slow = api.send(api.submissionRequest(
                SubmissionBody.javascript("for (let i = 0; i < 60; i++) await sleep(200); return 'then';")
                        .json(),
                "Prefer",
                "respond-async, wait=1"));
        Duration waited = Duration.between(before, Instant.now());

        assertThat(quick.expectStatus(200).json().path("result").asText()).isEqualTo("now");
        assertThat(slow.expectStatus(202).json().path("state").asText()).isIn("PENDING", "RUNNING");
        assertThat(waited).isGreaterThanOrEqualTo(Duration.ofMillis(900));
        TimingAssertions.assertAtMost(Duration.ofSeconds(11), waited);
        assertThat(api.awaitEnd(slow.json().path("id").asText()).path("result").asText())
                .isEqualTo("then");
    }

    @Test
    void longPollReturnsWhenTheExecutionEnds() {
        String id = api.submit(SubmissionBody.javascript("await sleep(6000); return 'done';"));

        JsonNode soon = api.get(RestClient.EXECUTIONS + "/" + id + "?wait=0")
                .expectStatus(200)
                .json();
        JsonNode end = api.get(RestClient.EXECUTIONS + "/" + id + "?wait=50")
                .expectStatus(200)
                .json();

        assertThat(RestClient.isFinished(soon)).isFalse();
        assertThat(end.path("state").asText()).isEqualTo("COMPLETED");
        TimingAssertions.assertAtMost(
                Duration.ofSeconds(20),
                Duration.between(Instant.parse(end.path("finishedAt").asText()), Instant.now()));
    }

    @Test
    void scriptIsStoredUnchanged() {
        String code = "// \uD83D\uDE00 \"quoted\" \\ ${x} \u2028\r\n\treturn 1;   \n\n";
        String id = api.submit(SubmissionBody.javascript(code));

        JsonNode answer = api.get(RestClient.EXECUTIONS + "/" + id + "/code")
                .expectStatus(200)
                .json();

        assertThat(answer.path("code").asText()).isEqualTo(code);
        assertThat(api.getExecution(id).has("code")).isFalse();
        assertThat(api.getExecution(id).path("codePreview").asText()).startsWith("// \uD83D\uDE00 \"quoted\"");
    }

    @Test
    void scriptErrorNamesLineAndColumnOfTheSource() {
        JsonNode plain = api.run(SubmissionBody.javascript("const a = 1;\n\n   null.x;"));
        JsonNode typed = api.run(
                SubmissionBody.typescript("interface A {\n  b: string;\n}\nconst f = (a: A): void => {\n  throw new "
                        + "Error('here');\n};\nf({ b: '' });"));

        assertThat(plain.path("state").asText()).isEqualTo("FAILED");
        assertThat(plain.path("error").path("code").asText()).isEqualTo("script-error");
        assertThat(plain.path("error").path("culprit").asText()).isEqualTo("script");
        assertThat(plain.path("error").path("line").asInt()).isEqualTo(3);
        assertThat(plain.path("error").path("column").asInt()).isEqualTo(4);
        assertThat(typed.path("error").path("message").asText()).isEqualTo("Error: here");
        assertThat(typed.path("error").path("line").asInt()).isEqualTo(5);
        assertThat(typed.path("error").path("stack").asText()).contains("7:1").doesNotContain("org.", "java.");
    }

    @Test
    void outputAndCallLimitsAreEnforced() {
        JsonNode printed = api.run(SubmissionBody.javascript(
                        "console.log('123456789'); console.log('abcdefghij'); console.error('12345'); return 1;")
                .limit("outputChars", 15));
        JsonNode called = api.run(SubmissionBody.javascript(
                        "await demo.echo(1); await demo.echo(2); try { await demo.echo(3); } catch (e) { return "
                                + "e.code; }")
                .limit("toolCalls", 2));

        assertThat(printed.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(printed.path("output").asText()).isEqualTo("123456789\nabcde");
        assertThat(printed.path("errorOutput").asText()).isEqualTo("12345\n");
        assertThat(printed.path("truncated").asBoolean()).isTrue();
        assertThat(called.path("result").asText()).isEqualTo("call-limit");
    }

    @Test
    void deadlockedScriptFailsImmediately() {
        JsonNode execution = api.run(SubmissionBody.javascript("await new Promise(() => {}); return 1;"));

        assertThat(execution.path("error").path("code").asText()).isEqualTo("deadlock");
    }

    @Test
    void listsGiveEveryExecutionOnceInOrder() {
        List<String> submitted = Stream.generate(() -> api.submit(SubmissionBody.javascript("return 1;")))
                .limit(120)
                .toList();
        List<String> seen = new java.util.ArrayList<>();
        String cursor = "";
        boolean more = true;
        while (more) {
            JsonNode page = api.get(RestClient.EXECUTIONS + "?limit=25" + cursor)
                    .expectStatus(200)
                    .json();
            assertThat(page.path("items").size()).isBetween(1, 25);
            page.path("items").forEach(item -> seen.add(item.path("id").asText()));
            more = page.path("next").isTextual();
            cursor = "&cursor=" + page.path("next").asText();
            // An execution that is submitted between two pages belongs before the first page and must not shift the
            // others.
            api.submit(SubmissionBody.javascript("return 2;"));
        }

        assertThat(seen).doesNotHaveDuplicates().containsAll(submitted);
        assertThat(seen).isSortedAccordingTo(java.util.Comparator.reverseOrder());
    }

    @Test
    void listsAreFilteredByState() {
        // Other tests share this server, and their executions may appear in the list at any time.
        String mark = "m" + UUID.randomUUID();
        String failed = api.run(SubmissionBody.javascript("throw 1;").label("mark", mark))
                .path("id")
                .asText();
        String completed = api.run(SubmissionBody.javascript("return 1;").label("mark", mark))
                .path("id")
                .asText();

        JsonNode failures = api.get(RestClient.EXECUTIONS + "?state=FAILED&limit=200")
                .expectStatus(200)
                .json();
        JsonNode both = api.get(RestClient.EXECUTIONS + "?state=FAILED,COMPLETED&limit=2&label=mark:" + mark)
                .expectStatus(200)
                .json();

        assertThat(texts(failures.path("items"), "id")).contains(failed).doesNotContain(completed);
        assertThat(texts(failures.path("items"), "state")).containsOnly("FAILED");
        assertThat(texts(both.path("items"), "id")).containsExactly(completed, failed);
        assertThat(both.path("items").get(1).path("errorCode").asText()).isEqualTo("script-error");
        assertThat(both.path("items").get(0).has("result")).isFalse();
    }

    @Test
    void pageSizeIsCappedAtTheServerMaximum() {
        assertThat(api.get(RestClient.EXECUTIONS + "?limit=1000000000")
                        .expectStatus(200)
                        .json()
                        .path("items")
                        .size())
                .isLessThanOrEqualTo(200);
    }

    private static List<String> texts(JsonNode items, String member) {
        return StreamSupport.stream(items.spliterator(), false)
                .map(item -> item.path(member).asText())
                .toList();
    }
}
