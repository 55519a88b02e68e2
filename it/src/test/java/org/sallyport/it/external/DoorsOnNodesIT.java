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
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.Events;
import org.sallyport.it.harness.Events.Event;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Two nodes on one broker and one database: whichever is asked, it answers for what the other runs. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DoorsOnNodesIT {
    private static final String BATCHES = "/api/v1/batches";
    private static final int PLACES = 8;

    private final BrokerProcess broker = BrokerProcess.start();
    private final PostgreSql database = PostgreSql.start();
    private final SallyportServer first = setup("doors-a").launch();
    private final SallyportServer second = setup("doors-b").launch();

    private ServerSetup setup(String name) {
        return broker.usedBy(database.usedBy(ServerSetup.fresh(name)))
                .with("sallyport.runner.live", Integer.toString(PLACES));
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

    private String holder(String id) {
        return database.text("select node from execution where id = cast(? as uuid)", id);
    }

    private SallyportServer other(SallyportServer node) {
        return node == first ? second : first;
    }

    private SallyportServer runs(String id) {
        return holder(id).startsWith(first.nodeId() + ".") ? first : second;
    }

    private static Events follow(SallyportServer node, String path, String lastId) {
        var request = node.api().request(path + "/events");
        return Events.of(lastId.isEmpty() ? request : request.header("Last-Event-ID", lastId));
    }

    private static String last(List<Event> events) {
        return events.get(events.size() - 1).id();
    }

    private static String text(List<Event> events, String name) {
        return events.stream()
                .filter(event -> event.name().equals(name))
                .map(event -> event.data().path("text").asText())
                .collect(Collectors.joining());
    }

    @Test
    void anExecutionIsFollowedAtANodeThatDoesNotRunItAndOnAtTheOther() {
        String id = first.api().submit(Submission.javascript("""
                for (let i = 0; i < 30; i++) {
                  console.log(`out ${i} \uD83D\uDE00`);
                  console.error(`err ${i}`);
                  await demo.add({ a: i, b: 1 });
                  await sleep(200);
                }
                return 'done';
                """));
        first.api().awaitOutput(id, "out 2");
        SallyportServer runs = runs(id);
        String path = Api.EXECUTIONS + "/" + id;

        List<Event> all = new ArrayList<>();
        try (Events stream = follow(other(runs), path, "")) {
            assertThat(stream.status()).isEqualTo(200);
            all.addAll(stream.until(event -> event.data().path("text").asText().contains("out 6 ")));
        }
        try (Events stream = follow(runs, path, last(all))) {
            all.addAll(stream.until(event -> event.data().path("text").asText().contains("out 12 ")));
        }
        try (Events stream = follow(other(runs), path, last(all))) {
            all.addAll(stream.all());
        }

        JsonNode ended = other(runs).api().execution(id);
        assertThat(text(all, "output")).isEqualTo(ended.path("output").asText()).contains("out 29 ");
        assertThat(text(all, "error-output"))
                .isEqualTo(ended.path("errorOutput").asText());
        assertThat(all.stream().filter(event -> event.name().equals("trace")).map(Event::data))
                .as("each once, in order")
                .containsExactlyElementsOf(runs.api().trace(id));
        assertThat(all.get(all.size() - 1).name()).isEqualTo("result");
        assertThat(all.get(all.size() - 1).data().path("result").asText()).isEqualTo("done");
        for (SallyportServer node : List.of(first, second)) {
            assertThat(follow(node, path, last(all)).status())
                    .as("nothing follows")
                    .isEqualTo(204);
        }
    }

    private static String batch(SallyportServer node, int items, String code, String more) {
        String all =
                IntStream.range(0, items).mapToObj(i -> "{\"args\": " + i + "}").collect(Collectors.joining(","));
        return node.api()
                .post(BATCHES, "{\"items\": [" + all + "], \"defaults\": {\"code\": \"" + code + "\"}" + more + "}")
                .expect(202)
                .json()
                .path("id")
                .asText();
    }

    private static List<String> results(SallyportServer node, String batch) {
        return node.api()
                .get(BATCHES + "/" + batch + "/results")
                .expect(200)
                .text()
                .lines()
                .toList();
    }

    private static boolean finished(Event event) {
        return event.data().path("finished").asBoolean();
    }

    private static int counted(JsonNode counts, String state) {
        return counts.path("counts").path(state).asInt();
    }

    @Test
    void aBatchIsWorkedOnByBothAndFollowedAtEither() {
        int items = 60;
        String id = batch(
                first,
                items,
                "for (let i = 0; i < 5; i++) await sleep(150); return [args, await demo.clock()]",
                ", \"maxParallel\": 16");
        String path = BATCHES + "/" + id;

        List<Event> all = new ArrayList<>();
        try (Events stream = follow(second, path, "")) {
            assertThat(stream.status()).isEqualTo(200);
            all.addAll(stream.until(event -> counted(event.data(), "COMPLETED") >= 5));
        }
        try (Events stream = follow(first, path, last(all))) {
            all.addAll(stream.until(event -> counted(event.data(), "COMPLETED") >= 25));
        }
        try (Events stream = follow(second, path, last(all))) {
            all.addAll(stream.all());
        }
        List<Integer> completed =
                all.stream().map(event -> counted(event.data(), "COMPLETED")).toList();
        assertThat(completed).as("progress that goes on").isSorted().endsWith(items);
        assertThat(finished(all.get(all.size() - 1))).isTrue();
        assertThat(all.subList(0, all.size() - 1)).noneMatch(DoorsOnNodesIT::finished);

        assertThat(results(first, id).stream()
                        .map(line -> runs(Json.read(line).path("execution").asText()))
                        .distinct())
                .as("nodes that ran items")
                .containsExactlyInAnyOrder(first, second);
        assertThat(results(second, id)).isEqualTo(results(first, id)).hasSize(items);
        assertThat(second.api().get(path).expect(200).json())
                .isEqualTo(first.api().get(path).expect(200).json());
    }

    @Test
    void aBatchIsCancelledAtTheOtherNodeWhoeverRunsIt() {
        String id = batch(first, 40, "console.log('begun'); for (;;) await sleep(200)", ", \"maxParallel\": 12");
        String path = BATCHES + "/" + id;
        Await.until(
                "twelve run",
                Duration.ofSeconds(180),
                () -> counted(first.api().get(path).expect(200).json(), "RUNNING") == 12);
        List<Event> events;
        try (Events stream = follow(first, path, "")) {
            second.api().post(path + "/cancel", "").expect(202);
            events = stream.until(DoorsOnNodesIT::finished);
        }
        assertThat(counted(events.get(events.size() - 1).data(), "CANCELLED")).isEqualTo(40);
        assertThat(results(second, id))
                .isEqualTo(results(first, id))
                .allMatch(line -> line.contains("\"state\":\"CANCELLED\""));
    }

    @Test
    void whatABatchSharesIsAskedByEachNodeOnceAtMost() {
        int items = 40;
        String id = batch(
                first,
                items,
                "for (let i = 0; i < 3; i++) await sleep(150); return await demo.clock()",
                ", \"shareReads\": true, \"maxParallel\": 16");
        Await.until(
                "all have ended",
                Duration.ofSeconds(180),
                () -> first.api()
                        .get(BATCHES + "/" + id)
                        .expect(200)
                        .json()
                        .path("finished")
                        .asBoolean());
        List<JsonNode> lines = results(second, id).stream().map(Json::read).toList();
        assertThat(lines).allMatch(line -> line.path("state").asText().equals("COMPLETED"));
        assertThat(lines.stream().map(line -> line.path("result").asText()).distinct())
                .hasSizeBetween(1, 2);
    }
}
