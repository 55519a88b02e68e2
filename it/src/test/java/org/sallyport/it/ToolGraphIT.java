package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.McpTestClient;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** The tool graph that the service learns from executions, and who may read it. */
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ToolGraphIT {
    private static final String GRAPH = "/api/v1/tool-graph";
    private static final String NEXT = GRAPH + "/next";
    private static final Duration TIMEOUT = Duration.ofSeconds(120);

    private final SallyportServer server;
    private final TestTenant tenant;
    private final RestClient api;
    private final RestClient otherApi;
    private final OpenApiResponseValidator description;

    ToolGraphIT(SallyportServer server, TestTenant us, TestTenant them) {
        this.server = server;
        this.tenant = us;
        this.api = us.api();
        this.otherApi = them.api();
        this.description = OpenApiResponseValidator.of(api);
    }

    @BeforeAll
    void runAndAwaitLearned() {
        for (int i = 0; i < 3; i++) {
            api.run(SubmissionBody.javascript("""
                            const sum = await demo.add({ a: 1, b: 987654321 });
                            await demo.kv_put({ key: 'sum', value: sum });
                            await demo.echo('hidden-argument');
                            """).with("intent", "\"Settle the quarterly bookkeeping\""));
        }
        api.run(SubmissionBody.javascript(
                "await demo.add({ a: 1, b: 2 }); await demo.fail({ message: 'no' }).catch(() => 0);"));
        api.run(SubmissionBody.javascript("await demo.nothing_so().catch(() => 0); await demo.clock();")
                .grants("demo.clock"));
        api.run(SubmissionBody.javascript("await demo.counter_increment({ name: 'x' });")
                .with("dryRun", "true"));
        otherApi.run(SubmissionBody.javascript("await demo.clock(); await demo.outbox();")
                .with("intent", "\"confidential\""));
        Await.until(
                "all is learned",
                TIMEOUT,
                () -> countCalls(api, "demo.add") == 4
                        && countCalls(api, "demo.clock") == 1
                        && countCalls(otherApi, "demo.outbox") == 1);
    }

    private static JsonNode findNode(RestClient by, String tool) {
        return StreamSupport.stream(
                        by.get(GRAPH).expectStatus(200).json().path("nodes").spliterator(), false)
                .filter(node -> node.path("tool").asText().equals(tool))
                .findFirst()
                .orElse(MissingNode.getInstance());
    }

    private static int countCalls(RestClient by, String tool) {
        return findNode(by, tool).path("calls").asInt();
    }

    private JsonNode assertDescribed(String path, String query, int status) {
        RestResponse answer = api.get(path + query).expectStatus(status);
        assertThat(description.validate("GET", path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer.json();
    }

    private static List<String> describeEdges(JsonNode graph) {
        return StreamSupport.stream(graph.path("edges").spliterator(), false)
                .map(edge -> edge.path("from").asText() + " " + edge.path("to").asText() + " "
                        + edge.path("calls").asInt() + " "
                        + edge.path("success").asDouble())
                .toList();
    }

    @Test
    @Order(1)
    void graphShowsOrderFrequencySuccessAndIntentsOfCalls() {
        JsonNode graph = assertDescribed(GRAPH, "", 200);
        assertThat(graph.path("nodes").findValuesAsText("tool"))
                .containsExactly("demo.add", "demo.echo", "demo.kv_put", "demo.clock", "demo.fail");
        assertThat(describeEdges(graph))
                .containsExactlyInAnyOrder(
                        "demo.add demo.kv_put 3 1.0", "demo.kv_put demo.echo 3 1.0", "demo.add demo.fail 1 0.0");
        JsonNode add = findNode(api, "demo.add");
        assertThat(add.path("firstCalls").asInt()).isEqualTo(4);
        assertThat(add.path("success").asDouble()).isEqualTo(1);
        assertThat(add.path("intents"))
                .extracting(JsonNode::asText)
                .containsExactly("bookkeeping", "quarterly", "settle");
        assertThat(findNode(api, "demo.fail").path("success").asDouble()).isZero();
        assertThat(graph.path("tools").asInt()).isEqualTo(5);
        assertThat(graph.path("truncated").asBoolean()).isFalse();
        assertThat(graph.toString()).doesNotContain("987654321").doesNotContain("hidden");
    }

    @Test
    @Order(2)
    void graphCanBeFilteredAndLimited() {
        JsonNode limited = assertDescribed(GRAPH, "?limit=2", 200);
        assertThat(limited.path("nodes").findValuesAsText("tool")).containsExactly("demo.add", "demo.echo");
        assertThat(limited.path("edges")).isEmpty();
        assertThat(limited.path("truncated").asBoolean()).isTrue();
        JsonNode around = assertDescribed(GRAPH, "?tool=demo.kv_put&since=P7D", 200);
        assertThat(around.path("nodes").findValuesAsText("tool"))
                .containsExactly("demo.add", "demo.echo", "demo.kv_put");
        assertThat(assertDescribed(GRAPH, "?tool=demo.slow", 200).path("nodes")).isEmpty();
        assertThat(assertDescribed(GRAPH, "?since=2200-01-01T00:00:00Z", 200).path("nodes"))
                .isEmpty();
    }

    @Test
    @Order(3)
    void likelyNextToolsAreListed() {
        JsonNode answer = assertDescribed(NEXT, "?tool=demo.add", 200);
        JsonNode shown = readExample();
        assertThat(answer.fieldNames()).toIterable().containsExactlyInAnyOrderElementsOf(shown::fieldNames);
        JsonNode next = answer.path("items");
        assertThat(next.path(0).fieldNames())
                .toIterable()
                .containsExactlyInAnyOrderElementsOf(shown.path("items").path(0)::fieldNames);
        assertThat(next.findValuesAsText("tool")).containsExactly("demo.kv_put", "demo.fail");
        assertThat(next.path(0).path("share").asDouble()).isEqualTo(0.75);
        assertThat(next.path(0).path("description").asText()).isNotEmpty();
        assertThat(assertDescribed(NEXT, "", 200).path("items").findValuesAsText("tool"))
                .containsExactly("demo.add", "demo.clock");
        assertThat(assertDescribed(NEXT, "?limit=1", 200).path("items")).hasSize(1);
        assertThat(assertDescribed(NEXT, "?tool=demo.slow", 200).path("items")).isEmpty();
    }

    /** Reads the example of the documentation page on the tool graph. */
    private static JsonNode readExample() {
        try {
            String page = Files.readString(CheckoutPaths.root().resolve("docs/tool-graph.md"));
            Matcher block = Pattern.compile("```json tool-graph\n(.*?)```", Pattern.DOTALL)
                    .matcher(page);
            assertThat(block.find()).isTrue();
            return TestJson.read(block.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Order(4)
    void toolsAreFoundByIntentsAndRankedByUse() {
        JsonNode found = assertDescribed("/api/v1/tools", "?q=bookkeeping", 200).path("items");
        assertThat(found.findValuesAsText("name")).containsExactlyInAnyOrder("demo.add", "demo.kv_put", "demo.echo");
        assertThat(assertDescribed("/api/v1/tools", "?q=bookkeeping%20kv", 200)
                        .path("items")
                        .findValuesAsText("name"))
                .containsExactly("demo.kv_put");
        assertThat(assertDescribed("/api/v1/tools", "?q=kv_", 200).path("items").findValuesAsText("name"))
                .containsExactly("demo.kv_put", "demo.kv_get");
        assertThat(otherApi.get("/api/v1/tools?q=bookkeeping")
                        .expectStatus(200)
                        .json()
                        .path("items"))
                .isEmpty();
        try (McpTestClient agent = McpTestClient.withoutElicitation(server, tenant.key())) {
            JsonNode matches = agent.call("search_tools", "{\"query\": \"bookkeeping echo\"}")
                    .expectSuccess()
                    .content();
            assertThat(matches.path("items").findValuesAsText("name")).containsExactly("demo.echo");
        }
    }

    @ParameterizedTest
    @Order(5)
    @CsvSource({
        "/api/v1/tool-graph, ?limit=0, 400, validation",
        "/api/v1/tool-graph, ?limit=301, 400, validation",
        "/api/v1/tool-graph, ?limit=x, 400, validation",
        "/api/v1/tool-graph, ?since=yesterday, 400, validation",
        "/api/v1/tool-graph, ?tool=add, 400, validation",
        "/api/v1/tool-graph, ?tool=demo., 400, validation",
        "/api/v1/tool-graph, ?tool=demo.%00%F0%9F%98%80, 404, not-found",
        "/api/v1/tool-graph, ?tool=demo.nothing_so, 404, not-found",
        "/api/v1/tool-graph/next, ?limit=101, 400, validation",
        "/api/v1/tool-graph/next, ?tool=%24sallyport.sleep, 404, not-found",
        "/api/v1/tool-graph/next, ?tool=.x, 400, validation",
    })
    void invalidQueryIsRefused(String path, String query, int status, String problem) {
        RestResponse answer = api.get(path + query).expectStatus(status);
        assertThat(answer.problemType()).isEqualTo(problem);
        assertThat(description.validate("GET", path, answer))
                .as(answer.toString())
                .isEmpty();
    }

    @Test
    @Order(6)
    void toolGraphsOfTenantsAreSeparate() {
        JsonNode graph = otherApi.get(GRAPH).expectStatus(200).json();
        assertThat(graph.path("nodes").findValuesAsText("tool")).containsExactly("demo.clock", "demo.outbox");
        assertThat(describeEdges(graph)).containsExactly("demo.clock demo.outbox 1 1.0");
        assertThat(api.get(GRAPH).json().toString()).doesNotContain("outbox").doesNotContain("confidential");
        assertThat(api.withoutKey().get(GRAPH).status()).isEqualTo(401);
    }
}
