package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/** One call, written in forms that run with and without a JavaScript engine. Only the tier in the execution differs. */
@ExtendWith(ServerExtension.class)
class ExecutionTierIT {
    private static final List<String> EXPECTED_EVENTS = List.of("state", "tool_start", "tool_end", "state");

    private final RestClient api;

    ExecutionTierIT(SallyportServer server) {
        this.api = server.api();
    }

    /** A tier and a script that runs in it. */
    private record TierCase(String tier, SubmissionBody submission) {}

    static Stream<TierCase> sums() {
        return Stream.of(
                new TierCase(
                        "direct",
                        SubmissionBody.javascript(
                                "{ \"tool\": \"demo.add\", \"arguments\": { \"a\": 1, \"b\": 2.0 } }")),
                new TierCase("simple", SubmissionBody.javascript("return await tools.demo.add({ a: 1, b: 2.0 });")),
                new TierCase(
                        "simple",
                        SubmissionBody.javascript(
                                "// a sum\nconst r = await demo.add({\n  a: 0x1,\n  b: 2,\n});\nreturn r;")),
                new TierCase(
                        "simple",
                        SubmissionBody.typescript(
                                "const r: number = await mcp.demo.add({ a: 1, b: 2 }) as number\nreturn r")),
                new TierCase(
                        "simple",
                        SubmissionBody.javascript("Here it is:\n```js\nawait demo.add({ a: 1, b: 2 })\n```\n")),
                new TierCase("sandbox", SubmissionBody.javascript("const a = 1; return await demo.add({ a, b: 2 });")),
                new TierCase(
                        "sandbox",
                        SubmissionBody.javascript("async function main() { return demo.add({ a: 1, b: 2 }) }")));
    }

    @ParameterizedTest
    @MethodSource("sums")
    void everyTierGivesTheSameResultAndTrace(TierCase row) {
        JsonNode execution = api.run(row.submission());

        assertThat(execution.path("tier").asText())
                .describedAs(execution.toString())
                .isEqualTo(row.tier());
        assertThat(execution.path("state").asText())
                .describedAs(execution.toString())
                .isEqualTo("COMPLETED");
        assertThat(execution.path("result").toString()).isEqualTo("3");
        List<JsonNode> trace = api.getTrace(execution.path("id").asText());
        assertThat(trace.stream().map(event -> event.path("type").asText()).toList())
                .isEqualTo(EXPECTED_EVENTS);
        assertThat(trace.get(1).path("args").toString()).isEqualTo("{\"a\":1,\"b\":2}");
        assertThat(trace.get(1).path("tool").asText()).isEqualTo("demo.add");
        assertThat(trace.get(2).path("success").asBoolean()).isTrue();
    }

    @Test
    void anUncaughtToolErrorIsTheSameInEveryTier() {
        JsonNode simple = api.run(SubmissionBody.javascript("  await demo.add({ a: 'x' })"));
        JsonNode engine = api.run(SubmissionBody.javascript("  await demo.add({ a: `${'x'}` })"));

        assertThat(simple.path("tier").asText()).isEqualTo("simple");
        assertThat(engine.path("tier").asText()).isEqualTo("sandbox");
        assertThat(simple.path("state").asText()).isEqualTo("FAILED");
        assertThat(simple.path("error")).isEqualTo(engine.path("error"));
        assertThat(simple.path("error").path("column").asInt()).isEqualTo(14);
    }
}
