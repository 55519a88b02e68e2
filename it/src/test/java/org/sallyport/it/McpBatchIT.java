package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.McpTestClient;
import org.sallyport.it.harness.McpTestClient.McpCallResult;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.TestTenant;

/** Batches that agents run over MCP. */
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class McpBatchIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final RestClient api;
    private final McpTestClient agent;
    private final McpTestClient stranger;

    McpBatchIT(SallyportServer server, TestTenant us, TestTenant them) {
        this.api = us.api();
        this.agent = McpTestClient.withoutElicitation(server, us.key());
        this.stranger = McpTestClient.withoutElicitation(server, them.key());
    }

    @BeforeAll
    void publish() {
        publish("shop.tax", "if (args.price > 1000) throw new Error('too dear'); return args.price * 0.2");
        publish("shop.text", "return 'x'.repeat(args.price)");
        publish("shop.wait", "await sleep(600_000)");
    }

    private void publish(String name, String code) {
        api.post("/api/v1/capabilities", """
                {"name": "%s", "version": "1.0.0", "code": "%s", "inputSchema": {"type": "object",
                  "required": ["price"], "properties": {"price": {"type": "number"}}}}
                """.formatted(name, code)).expectStatus(201);
    }

    @AfterAll
    void close() {
        agent.close();
        stranger.close();
    }

    @Test
    void rowsRunTheCapabilityAndReturnTheirResults() {
        McpCallResult batch = agent.call("run_batch", """
                {"capability": "shop.tax", "coalesce": true,
                 "rows": [{"price": 10}, {"price": 2000}, {"price": "much"}, 7, {"price": 10}]}
                """).expectSuccess();

        assertThat(batch.textAt("/capability")).isEqualTo("shop.tax@1.0.0");
        assertThat(batch.textAt("/finished")).isEqualTo("true");
        assertThat(batch.textAt("/total")).isEqualTo("5");
        assertThat(batch.textAt("/refused")).isEqualTo("2");
        assertThat(batch.textAt("/coalesced")).isEqualTo("1");
        assertThat(batch.content().path("counts").toString()).isEqualTo("{\"COMPLETED\":2,\"FAILED\":1}");
        assertThat(batch.textAt("/results/0/result")).isEqualTo("2");
        assertThat(batch.textAt("/results/0/row/price")).isEqualTo("10");
        assertThat(batch.content().at("/results/0/runMillis").isNumber()).isTrue();
        assertThat(batch.textAt("/results/1/error/message")).contains("too dear");
        assertThat(batch.textAt("/results/2/problem/pointer")).isEqualTo("/price");
        assertThat(batch.content().at("/results/2/problem").has("sourceLine")).isFalse();
        assertThat(batch.content().at("/results/3/problem/detail").asText()).contains("object expected");
        assertThat(batch.textAt("/results/4/result")).isEqualTo("2");
        assertThat(batch.textAt("/results/4/execution"))
                .as("the execution of the equal row")
                .isNotEmpty()
                .isEqualTo(batch.textAt("/results/0/execution"));
        assertThat(batch.content().path("next").isNull()).isTrue();
        assertThat(batch.content().has("note")).isFalse();
        Await.until(
                "the agent was told that all items have ended",
                TIMEOUT,
                () -> agent.progressNotifications().stream().anyMatch(progress -> isEnd(progress, batch)));
    }

    private static boolean isEnd(McpSchema.ProgressNotification progress, McpCallResult batch) {
        return batch.textAt("/id").equals(progress.meta().get("org.sallyport/batch"))
                && progress.progress() == 5
                && Double.valueOf(5).equals(progress.total());
    }

    @Test
    void resultsOfCsvAreReadPageByPage() {
        String csv = IntStream.range(0, 120)
                .mapToObj(i -> i % 50 == 7 ? "5000" : Integer.toString(i))
                .collect(Collectors.joining("\\n", "price\\n", ""));
        McpCallResult first = agent.call("run_batch", "{\"capability\": \"shop.tax\", \"csv\": \"" + csv + "\"}")
                .expectSuccess();
        String id = first.textAt("/id");

        assertThat(indexes(first)).isEqualTo(IntStream.range(0, 50).boxed().toList());
        McpCallResult rest = status(id, "\"limit\": 100, \"cursor\": \"" + first.textAt("/next") + "\"");
        assertThat(indexes(rest)).isEqualTo(IntStream.range(50, 120).boxed().toList());
        assertThat(awaitEnd(id).textAt("/finished")).isEqualTo("true");
        McpCallResult failed = status(id, "\"unsuccessful\": true");
        assertThat(indexes(failed)).containsExactly(7, 57, 107);
        assertThat(failed.content().path("next").isNull()).isTrue();
    }

    private McpCallResult status(String id, String arguments) {
        return agent.call("batch_status", "{\"id\": \"" + id + "\", " + arguments + "}")
                .expectSuccess();
    }

    /** Waits as long as one request may, which is more than the runs need. */
    private McpCallResult awaitEnd(String id) {
        return status(id, "\"waitSeconds\": 55");
    }

    private static List<Integer> indexes(McpCallResult batch) {
        return batch.content()
                .path("results")
                .valueStream()
                .map(item -> item.path("index").asInt())
                .toList();
    }

    @Test
    void largeResultsAreLeftToTheirExecutions() {
        McpCallResult batch = agent.call("run_batch", """
                {"capability": "shop.text", "rows": [{"price": 9000}, {"price": 20000}, {"price": 9000},
                  {"price": 9000}, {"price": 9000}, {"price": 9000}, {"price": 9000}, {"price": 1}, {"price": 2}]}
                """).expectSuccess();
        batch = awaitEnd(batch.textAt("/id"));

        assertThat(batch.content().at("/results/0/result").asText()).hasSize(9_000);
        assertThat(batch.content().at("/results/1").has("result")).isFalse();
        assertThat(batch.textAt("/results/1/resultOmitted")).isEqualTo("true");
        assertThat(indexes(batch)).containsExactly(0, 1, 2, 3, 4, 5, 6);
        assertThat(batch.content().path("next").isTextual()).isTrue();
        McpCallResult whole = agent.call(
                        "execution_status", "{\"id\": \"" + batch.textAt("/results/1/execution") + "\"}")
                .expectSuccess();
        assertThat(whole.content().path("result").asText()).hasSize(20_000);
    }

    @Test
    void itemsMixScriptsAndCapabilities() {
        McpCallResult batch = agent.call("run_batch", """
                {"items": [{"code": "return 1"}, {"args": {"price": 5}}, {"code": "oops("}],
                 "defaults": {"capability": "shop.tax"}, "maxParallel": 1}
                """).expectSuccess();

        assertThat(batch.textAt("/results/0/result")).isEqualTo("1");
        assertThat(batch.textAt("/results/1/result")).isEqualTo("1");
        assertThat(batch.textAt("/results/2/problem/type")).endsWith("syntax-error");
        assertThat(batch.content().at("/results/1").has("row")).isFalse();
    }

    @Test
    void theSameKeyRunsNoSecondBatch() {
        String arguments =
                "{\"capability\": \"shop.tax\", \"rows\": [{\"price\": 1}], \"idempotencyKey\": \"order-7\"}";
        McpCallResult first = agent.call("run_batch", arguments).expectSuccess();

        assertThat(agent.call("run_batch", arguments).expectSuccess().textAt("/id"))
                .isEqualTo(first.textAt("/id"));
        String reordered =
                "{\"idempotencyKey\": \"order-7\", \"rows\": [{\"price\": 1}], \"capability\": \"shop.tax\"}";
        assertThat(agent.call("run_batch", reordered).expectSuccess().textAt("/id"))
                .isEqualTo(first.textAt("/id"));
        McpCallResult other = agent.call("run_batch", arguments.replace("1}", "2}"));
        assertThat(other.textAt("/error/code")).isEqualTo("idempotency-conflict");
    }

    @Test
    void batchContinuesAfterTheWaitAndIsCancelled() {
        McpCallResult batch = agent.call("run_batch", """
                {"capability": "shop.wait", "rows": [{"price": 1}, {"price": 2}], "maxParallel": 1, "waitSeconds": 0}
                """).expectSuccess();
        String id = batch.textAt("/id");

        assertThat(batch.textAt("/finished")).isEqualTo("false");
        assertThat(batch.textAt("/note")).contains("batch_status");
        for (String tool : List.of("batch_status", "cancel_batch")) {
            assertThat(stranger.call(tool, "{\"id\": \"" + id + "\"}").textAt("/error/code"))
                    .isEqualTo("not-found");
        }
        assertThat(stranger.call("batch_status", "{\"id\": \"" + id + "\", \"waitSeconds\": 50}")
                        .textAt("/error/code"))
                .isEqualTo("not-found");
        agent.call("cancel_batch", "{\"id\": \"" + id + "\"}").expectSuccess();
        McpCallResult ended = awaitEnd(id);
        assertThat(ended.textAt("/finished")).isEqualTo("true");
        assertThat(ended.content().path("counts").toString()).isEqualTo("{\"CANCELLED\":2}");
        JsonNode listed = api.get("/api/v1/audit?action=batch.cancel").json();
        assertThat(listed.toString()).contains(id);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "{} | rows",
                "{\"rows\": [1]} | capability",
                "{\"capability\": \"shop.tax\", \"rows\": {}} | rows",
                "{\"capability\": \"shop.tax\", \"csv\": []} | csv",
                "{\"capability\": \"shop.tax\", \"csv\": \"a\", \"rows\": []} | csv",
                "{\"capability\": \"shop.tax\", \"rows\": [1], \"items\": []} | rows",
                "{\"capability\": \"shop.tax\", \"rows\": [1], \"maxParallel\": 0} | maxParallel",
                "{\"capability\": \"shop.tax\", \"rows\": [1], \"atomic\": \"yes\"} | atomic",
                "{\"capability\": \"shop.tax\", \"rows\": [1], \"waitSeconds\": -1} | waitSeconds"
            })
    void invalidArgumentsAreNamed(String arguments, String member) {
        McpCallResult refused = agent.call("run_batch", arguments);

        assertThat(refused.failed()).isTrue();
        assertThat(refused.textAt("/error/code")).isEqualTo("validation");
        assertThat(refused.textAt("/error/member")).isEqualTo(member);
    }

    @Test
    void nothingRunsIfTheBatchIsRefused() {
        assertThat(agent.call("run_batch", "{\"capability\": \"shop.tax\", \"rows\": [1], \"defaults\": {}}")
                        .textAt("/error/members/0"))
                .isEqualTo("defaults");
        assertThat(agent.call("run_batch", "{\"capability\": \"shop.none\", \"rows\": [1]}")
                        .textAt("/error/code"))
                .isEqualTo("not-found");
        assertThat(agent.call("run_batch", "{\"capability\": \"shop.tax\", \"rows\": []}")
                        .textAt("/error/message"))
                .contains("no items");
        String many = IntStream.range(0, 50).mapToObj(Integer::toString).collect(Collectors.joining(","));
        McpCallResult atomic = agent.call(
                "run_batch",
                "{\"capability\": \"shop.tax\", \"rows\": [{\"price\": 1}, " + many + "], \"atomic\": true}");
        assertThat(atomic.failed()).isTrue();
        assertThat(atomic.textAt("/error/code")).isEqualTo("batch-refused");
        assertThat(atomic.textAt("/error/message")).startsWith("50 of the items");
        assertThat(atomic.textAt("/error/items/0/index")).isEqualTo("1");
        assertThat(atomic.content().at("/error/items")).hasSize(20);
        assertThat(agent.call("batch_status", "{\"id\": \"x\"}").textAt("/error/code"))
                .isEqualTo("not-found");
        String id = agent.call("run_batch", "{\"items\": [{\"code\": \"return 1\"}]}")
                .expectSuccess()
                .textAt("/id");
        for (String page : List.of("\"limit\": 0", "\"limit\": 101", "\"cursor\": \"x\"")) {
            McpCallResult wrong = agent.call("batch_status", "{\"id\": \"" + id + "\", " + page + "}");
            assertThat(wrong.textAt("/error/code")).as(page).isEqualTo("validation");
        }
    }
}
