package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.EventStreamClient;
import org.sallyport.it.harness.EventStreamClient.ServerSentEvent;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Two nodes on one broker and one database: each node answers API requests about executions that run on the other. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MultiNodeApiIT {
    private static final String BATCHES = "/api/v1/batches";
    private static final int MAX_LIVE_EXECUTIONS = 8;

    private final BrokerProcess broker = BrokerProcess.start();
    private final PostgreSql database = PostgreSql.start();
    private final SallyportServer first = setup("doors-a").launch();
    private final SallyportServer second = setup("doors-b").launch();

    private ServerSetup setup(String name) {
        return broker.configure(database.configure(ServerSetup.create(name)))
                .with("sallyport.runner.max-live-executions", Integer.toString(MAX_LIVE_EXECUTIONS));
    }

    @BeforeAll
    void bothAreReady() {
        first.awaitReady();
        second.awaitReady();
    }

    @AfterAll
    void end() {
        first.close();
        second.close();
        broker.close();
        database.close();
    }

    private String claimingNode(String id) {
        return database.queryText("select node from execution where id = cast(? as uuid)", id);
    }

    private SallyportServer otherNode(SallyportServer node) {
        return node == first ? second : first;
    }

    private SallyportServer runningNode(String id) {
        return claimingNode(id).startsWith(first.nodeId() + ".") ? first : second;
    }

    private static EventStreamClient openStream(SallyportServer node, String path, String lastId) {
        var request = node.api().request(path + "/events");
        return EventStreamClient.of(lastId.isEmpty() ? request : request.header("Last-Event-ID", lastId));
    }

    private static String lastEventId(List<ServerSentEvent> events) {
        return events.get(events.size() - 1).id();
    }

    private static String text(List<ServerSentEvent> events, String name) {
        return events.stream()
                .filter(event -> event.name().equals(name))
                .map(event -> event.data().path("text").asText())
                .collect(Collectors.joining());
    }

    @Test
    void streamResumesOnAnotherNodeWithoutLossOrDuplicates() {
        String id = first.api().submit(SubmissionBody.javascript("""
                for (let i = 0; i < 30; i++) {
                  console.log(`out ${i} \uD83D\uDE00`);
                  console.error(`err ${i}`);
                  await demo.add({ a: i, b: 1 });
                  await sleep(200);
                }
                return 'done';
                """));
        first.api().awaitOutput(id, "out 2");
        SallyportServer runs = runningNode(id);
        String path = RestClient.EXECUTIONS + "/" + id;

        List<ServerSentEvent> all = new ArrayList<>();
        try (EventStreamClient stream = openStream(otherNode(runs), path, "")) {
            assertThat(stream.status()).isEqualTo(200);
            all.addAll(
                    stream.readUntil(event -> event.data().path("text").asText().contains("out 6 ")));
        }
        try (EventStreamClient stream = openStream(runs, path, lastEventId(all))) {
            all.addAll(
                    stream.readUntil(event -> event.data().path("text").asText().contains("out 12 ")));
        }
        try (EventStreamClient stream = openStream(otherNode(runs), path, lastEventId(all))) {
            all.addAll(stream.readAll());
        }

        JsonNode ended = otherNode(runs).api().getExecution(id);
        assertThat(text(all, "output")).isEqualTo(ended.path("output").asText()).contains("out 29 ");
        assertThat(text(all, "error-output"))
                .isEqualTo(ended.path("errorOutput").asText());
        assertThat(all.stream().filter(event -> event.name().equals("trace")).map(ServerSentEvent::data))
                .as("each once, in order")
                .containsExactlyElementsOf(runs.api().getTrace(id));
        assertThat(all.get(all.size() - 1).name()).isEqualTo("result");
        assertThat(all.get(all.size() - 1).data().path("result").asText()).isEqualTo("done");
        for (SallyportServer node : List.of(first, second)) {
            assertThat(openStream(node, path, lastEventId(all)).status())
                    .as("nothing follows")
                    .isEqualTo(204);
        }
    }

    private static String submitBatch(SallyportServer node, int items, String code, String more) {
        String all =
                IntStream.range(0, items).mapToObj(i -> "{\"args\": " + i + "}").collect(Collectors.joining(","));
        return node.api()
                .post(BATCHES, "{\"items\": [" + all + "], \"defaults\": {\"code\": \"" + code + "\"}" + more + "}")
                .expectStatus(202)
                .json()
                .path("id")
                .asText();
    }

    private static List<String> results(SallyportServer node, String batch) {
        return node.api()
                .get(BATCHES + "/" + batch + "/results")
                .expectStatus(200)
                .text()
                .lines()
                .toList();
    }

    private static boolean finished(ServerSentEvent event) {
        return event.data().path("finished").asBoolean();
    }

    private static int countInState(JsonNode counts, String state) {
        return counts.path("counts").path(state).asInt();
    }

    @Test
    void batchRunsOnBothNodesAndIsFollowedFromEither() {
        int items = 60;
        String id = submitBatch(
                first,
                items,
                "for (let i = 0; i < 5; i++) await sleep(150); return [args, await demo.clock()]",
                ", \"maxParallel\": 16");
        String path = BATCHES + "/" + id;

        List<ServerSentEvent> all = new ArrayList<>();
        try (EventStreamClient stream = openStream(second, path, "")) {
            assertThat(stream.status()).isEqualTo(200);
            all.addAll(stream.readUntil(event -> countInState(event.data(), "COMPLETED") >= 5));
        }
        try (EventStreamClient stream = openStream(first, path, lastEventId(all))) {
            all.addAll(stream.readUntil(event -> countInState(event.data(), "COMPLETED") >= 25));
        }
        try (EventStreamClient stream = openStream(second, path, lastEventId(all))) {
            all.addAll(stream.readAll());
        }
        List<Integer> completed = all.stream()
                .map(event -> countInState(event.data(), "COMPLETED"))
                .toList();
        assertThat(completed).as("progress that goes on").isSorted().endsWith(items);
        assertThat(finished(all.get(all.size() - 1))).isTrue();
        assertThat(all.subList(0, all.size() - 1)).noneMatch(MultiNodeApiIT::finished);

        assertThat(results(first, id).stream()
                        .map(line -> runningNode(
                                TestJson.read(line).path("execution").asText()))
                        .distinct())
                .as("nodes that ran items")
                .containsExactlyInAnyOrder(first, second);
        assertThat(results(second, id)).isEqualTo(results(first, id)).hasSize(items);
        assertThat(second.api().get(path).expectStatus(200).json())
                .isEqualTo(first.api().get(path).expectStatus(200).json());
    }

    @Test
    void batchIsCancelledFromTheOtherNode() {
        String id = submitBatch(first, 40, "console.log('begun'); for (;;) await sleep(200)", ", \"maxParallel\": 12");
        String path = BATCHES + "/" + id;
        Await.until(
                "twelve run",
                Duration.ofSeconds(180),
                () -> countInState(first.api().get(path).expectStatus(200).json(), "RUNNING") == 12);
        List<ServerSentEvent> events;
        try (EventStreamClient stream = openStream(first, path, "")) {
            second.api().post(path + "/cancel", "").expectStatus(202);
            events = stream.readUntil(MultiNodeApiIT::finished);
        }
        assertThat(countInState(events.get(events.size() - 1).data(), "CANCELLED"))
                .isEqualTo(40);
        assertThat(results(second, id))
                .isEqualTo(results(first, id))
                .allMatch(line -> line.contains("\"state\":\"CANCELLED\""));
    }

    @Test
    void sharedReadIsMadeAtMostOncePerNode() {
        int items = 40;
        String id = submitBatch(
                first,
                items,
                "for (let i = 0; i < 3; i++) await sleep(150); return await demo.clock()",
                ", \"shareReads\": true, \"maxParallel\": 16");
        Await.until(
                "all have ended",
                Duration.ofSeconds(180),
                () -> first.api()
                        .get(BATCHES + "/" + id)
                        .expectStatus(200)
                        .json()
                        .path("finished")
                        .asBoolean());
        List<JsonNode> lines = results(second, id).stream().map(TestJson::read).toList();
        assertThat(lines).allMatch(line -> line.path("state").asText().equals("COMPLETED"));
        assertThat(lines.stream().map(line -> line.path("result").asText()).distinct())
                .hasSizeBetween(1, 2);
    }
}
