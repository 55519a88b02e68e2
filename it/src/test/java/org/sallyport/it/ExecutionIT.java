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
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.testsupport.Timing;

/** One execution from its submission to its result. */
@ExtendWith(Servers.class)
class ExecutionIT {
    private final Api api;

    ExecutionIT(Api api) {
        this.api = api;
    }

    @Test
    void javascriptSeesItsInputAndReturnsItsResult() {
        JsonNode execution = api.run(Submission.javascript(
                        "console.log('to', args.name); console.error('beside');"
                                + " return { sum: await demo.add({ a: args.n, b: 2 }), context, frozen: Object.isFrozen(args.deep) };")
                .args("{\"name\": \"Ada\", \"n\": 40, \"deep\": {}}")
                .with("context", "{\"from\": [1, null, true]}"));

        assertThat(execution.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(execution.path("result"))
                .isEqualTo(Json.read("{\"sum\": 42, \"context\": {\"from\": [1, null, true]}, \"frozen\": true}"));
        assertThat(execution.path("output").asText()).isEqualTo("to Ada\n");
        assertThat(execution.path("errorOutput").asText()).isEqualTo("beside\n");
        assertThat(execution.path("attempt").asInt()).isEqualTo(1);
        assertThat(execution.path("language").asText()).isEqualTo("javascript");
    }

    @Test
    void typescriptRunsWithoutItsTypes() {
        JsonNode execution = api.run(Submission.typescript("""
                        import type { Nothing } from "nowhere";
                        enum Colour { Red = 3, Green }
                        interface Input { n: number }
                        const twice = <T extends number>(n: T): number => n * 2;
                        const input = args as Input;
                        return { colour: Colour.Green, twice: twice(input.n), name: Colour[3] };
                        """).args("{\"n\": 21}"));

        assertThat(execution.path("result"))
                .describedAs(execution.toString())
                .isEqualTo(Json.read("{\"colour\": 4, \"twice\": 42, \"name\": \"Red\"}"));
        assertThat(execution.path("language").asText()).isEqualTo("typescript");
    }

    @Test
    void moduleWithMainAndCallAsJsonAreScriptsToo() {
        JsonNode module = api.run(Submission.javascript(
                        "export default async function main(args, context) { return [args.a, context.b]; }")
                .args("{\"a\": 1}")
                .with("context", "{\"b\": 2}"));
        JsonNode call =
                api.run(Submission.javascript("{ \"tool\": \"demo.add\", \"arguments\": { \"a\": 1, \"b\": 2 } }"));

        assertThat(module.path("result")).isEqualTo(Json.read("[1, 2]"));
        assertThat(call.path("result")).isEqualTo(Json.read("3"));
    }

    @Test
    void acceptedWorkIsToldWithItsPlaceAndWhatWasAskedFor() {
        Answer accepted = api.post(
                Api.EXECUTIONS,
                Submission.javascript("return 1;")
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

        accepted.expect(202);
        JsonNode execution = accepted.json();
        String id = execution.path("id").asText();
        assertThat(accepted.header("Location")).endsWith(Api.EXECUTIONS + "/" + id);
        assertThat(id).matches("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
        assertThat(execution.path("state").asText()).isIn("PENDING", "RUNNING", "COMPLETED");
        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("priority").asInt()).isEqualTo(7);
        assertThat(ended.path("intent").asText()).isEqualTo("to see it echoed");
        assertThat(ended.path("grants")).isEqualTo(Json.read("[\"demo.echo\", \"demo.kv_*\"]"));
        assertThat(ended.path("labels")).isEqualTo(Json.read("{\"team\": \"blue\"}"));
        assertThat(ended.path("limits"))
                .isEqualTo(Json.read("{\"wallMillis\": 5000, \"cpuMillis\": 4000, \"heapBytes\": 33554432,"
                        + " \"toolCalls\": 3, \"outputChars\": 1000}"));
        Instant created = Instant.parse(ended.path("createdAt").asText());
        Instant started = Instant.parse(ended.path("startedAt").asText());
        Instant finished = Instant.parse(ended.path("finishedAt").asText());
        assertThat(started).isBetween(created, finished);
    }

    @Test
    void whatIsToBeginLaterBeginsThenAndCanBeCancelledBefore() {
        Instant soon = Instant.now().plusSeconds(4).truncatedTo(ChronoUnit.MICROS);
        String later = api.submit(Submission.javascript("return 1;").with("notBefore", "\"" + soon + "\""));
        String distant = api.submit(Submission.javascript("return 1;").with("delayMillis", "3600000"));
        JsonNode why = why(distant);
        assertThat(why.path("reason").asText()).isEqualTo("scheduled");
        assertThat(why.path("until")).isEqualTo(api.execution(distant).path("notBefore"));
        assertThat(api.execution(later).path("notBefore").asText()).isEqualTo(soon.toString());
        api.cancel(distant);

        assertThat(api.awaitEnd(distant).path("state").asText()).isEqualTo("CANCELLED");
        JsonNode ended = api.awaitEnd(later);
        assertThat(ended.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(Instant.parse(ended.path("startedAt").asText())).isAfterOrEqualTo(soon);
        assertThat(api.post(
                                Api.EXECUTIONS,
                                Submission.javascript("return 1;")
                                        .with("deadline", "\"2020-01-01T00:00:00Z\"")
                                        .json())
                        .expect(400)
                        .json()
                        .path("member")
                        .asText())
                .isEqualTo("deadline");
    }

    @Test
    void aDeadlineEndsWhatRunsAndWhatWaits() {
        String deadline = "\"" + Instant.now().plusSeconds(6) + "\"";
        String running =
                api.submit(Submission.javascript("for (;;) await sleep(100);").with("deadline", deadline));
        String parked = api.submit(Submission.javascript("await sleep('3d');").with("deadline", deadline));
        String waiting = api.submit(Submission.javascript("return 1;").with("delayMillis", "1"));

        for (String id : List.of(running, parked)) {
            JsonNode ended = api.awaitEnd(id);
            assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("TIMED_OUT");
            assertThat(ended.path("error").path("code").asText()).isEqualTo("wall-clock-limit");
            assertThat(ended.path("error").path("message").asText()).contains("deadline");
        }
        assertThat(api.awaitEnd(waiting).path("state").asText()).isEqualTo("COMPLETED");
    }

    @Test
    void ofOneKeyOneRunsAfterTheOther() {
        String key = "\"key " + UUID.randomUUID() + "\"";
        String first = api.submit(Submission.javascript("console.log('begun'); for (;;) await sleep(200);")
                .with("concurrencyKey", key));
        api.awaitOutput(first, "begun");
        List<String> others = Stream.of("4", "4", "9")
                .map(priority -> api.submit(Submission.javascript("return 1;")
                        .with("concurrencyKey", key)
                        .with("priority", priority)))
                .toList();
        others.forEach(id -> Await.until(
                "it waits for its turn",
                Duration.ofSeconds(60),
                () -> why(id).path("heldBy").equals(Json.read("[\"" + first + "\"]"))
                        && why(id).path("reason").asText().equals("concurrency-key")));
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

    private JsonNode why(String id) {
        return api.get(Api.EXECUTIONS + "/" + id + "/why").expect(200).json();
    }

    @Test
    void preferWaitGivesTheResultOrGivesUpInTime() {
        Answer quick =
                api.send(api.submission(Submission.javascript("return 'now';").json(), "Prefer", "wait=20"));
        Instant before = Instant.now();
        Answer slow = api.send(api.submission(
                Submission.javascript("for (let i = 0; i < 60; i++) await sleep(200); return 'then';")
                        .json(),
                "Prefer",
                "respond-async, wait=1"));
        Duration waited = Duration.between(before, Instant.now());

        assertThat(quick.expect(200).json().path("result").asText()).isEqualTo("now");
        assertThat(slow.expect(202).json().path("state").asText()).isIn("PENDING", "RUNNING");
        assertThat(waited).isGreaterThanOrEqualTo(Duration.ofMillis(900));
        Timing.assertAtMost(Duration.ofSeconds(11), waited);
        assertThat(api.awaitEnd(slow.json().path("id").asText()).path("result").asText())
                .isEqualTo("then");
    }

    @Test
    void pollWaitsForTheEndAndNotLonger() {
        String id = api.submit(Submission.javascript("await sleep(6000); return 'done';"));

        JsonNode soon =
                api.get(Api.EXECUTIONS + "/" + id + "?wait=0").expect(200).json();
        JsonNode end =
                api.get(Api.EXECUTIONS + "/" + id + "?wait=50").expect(200).json();

        assertThat(Api.ended(soon)).isFalse();
        assertThat(end.path("state").asText()).isEqualTo("COMPLETED");
        Timing.assertAtMost(
                Duration.ofSeconds(20),
                Duration.between(Instant.parse(end.path("finishedAt").asText()), Instant.now()));
    }

    @Test
    void theScriptIsKeptAsItWasSent() {
        String code = "// \uD83D\uDE00 \"quoted\" \\ ${x} \u2028\r\n\treturn 1;   \n\n";
        String id = api.submit(Submission.javascript(code));

        JsonNode answer =
                api.get(Api.EXECUTIONS + "/" + id + "/code").expect(200).json();

        assertThat(answer.path("code").asText()).isEqualTo(code);
        assertThat(api.execution(id).has("code")).isFalse();
        assertThat(api.execution(id).path("codePreview").asText()).startsWith("// \uD83D\uDE00 \"quoted\"");
    }

    @Test
    void errorOfAScriptNamesTheAuthorsPlace() {
        JsonNode plain = api.run(Submission.javascript("const a = 1;\n\n   null.x;"));
        JsonNode typed = api.run(
                Submission.typescript(
                        "interface A {\n  b: string;\n}\nconst f = (a: A): void => {\n  throw new Error('here');\n};\nf({ b: '' });"));

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
    void limitsOfOutputAndCallsHold() {
        JsonNode printed = api.run(Submission.javascript(
                        "console.log('123456789'); console.log('abcdefghij'); console.error('12345'); return 1;")
                .limit("outputChars", 15));
        JsonNode called = api.run(Submission.javascript(
                        "await demo.echo(1); await demo.echo(2); try { await demo.echo(3); } catch (e) { return e.code; }")
                .limit("toolCalls", 2));

        assertThat(printed.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(printed.path("output").asText()).isEqualTo("123456789\nabcde");
        assertThat(printed.path("errorOutput").asText()).isEqualTo("12345\n");
        assertThat(printed.path("truncated").asBoolean()).isTrue();
        assertThat(called.path("result").asText()).isEqualTo("call-limit");
    }

    @Test
    void scriptThatWaitsForNothingFailsAtOnce() {
        JsonNode execution = api.run(Submission.javascript("await new Promise(() => {}); return 1;"));

        assertThat(execution.path("error").path("code").asText()).isEqualTo("deadlock");
    }

    @Test
    void listsGiveEveryExecutionOnceInOrder() {
        List<String> submitted = Stream.generate(() -> api.submit(Submission.javascript("return 1;")))
                .limit(120)
                .toList();
        List<String> seen = new java.util.ArrayList<>();
        String cursor = "";
        boolean more = true;
        while (more) {
            JsonNode page =
                    api.get(Api.EXECUTIONS + "?limit=25" + cursor).expect(200).json();
            assertThat(page.path("items").size()).isBetween(1, 25);
            page.path("items").forEach(item -> seen.add(item.path("id").asText()));
            more = page.path("next").isTextual();
            cursor = "&cursor=" + page.path("next").asText();
            // What comes in between belongs before the first page and must not shift the others.
            api.submit(Submission.javascript("return 2;"));
        }

        assertThat(seen).doesNotHaveDuplicates().containsAll(submitted);
        assertThat(seen).isSortedAccordingTo(java.util.Comparator.reverseOrder());
    }

    @Test
    void listsAreFilteredByState() {
        // Others have begun on this server, and what they begin may come now.
        String mark = "m" + UUID.randomUUID();
        String failed = api.run(Submission.javascript("throw 1;").label("mark", mark))
                .path("id")
                .asText();
        String completed = api.run(Submission.javascript("return 1;").label("mark", mark))
                .path("id")
                .asText();

        JsonNode failures =
                api.get(Api.EXECUTIONS + "?state=FAILED&limit=200").expect(200).json();
        JsonNode both = api.get(Api.EXECUTIONS + "?state=FAILED,COMPLETED&limit=2&label=mark:" + mark)
                .expect(200)
                .json();

        assertThat(texts(failures.path("items"), "id")).contains(failed).doesNotContain(completed);
        assertThat(texts(failures.path("items"), "state")).containsOnly("FAILED");
        assertThat(texts(both.path("items"), "id")).containsExactly(completed, failed);
        assertThat(both.path("items").get(1).path("errorCode").asText()).isEqualTo("script-error");
        assertThat(both.path("items").get(0).has("result")).isFalse();
    }

    @Test
    void limitOfAListIsHeldToTheServersMaximum() {
        assertThat(api.get(Api.EXECUTIONS + "?limit=1000000000")
                        .expect(200)
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
