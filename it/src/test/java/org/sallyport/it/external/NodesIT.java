package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Pace;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.Processes;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.it.harness.Traffic;

/** Two nodes on one broker and one database: what one loses the other goes on with. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodesIT {
    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final Duration TAKE_OVER = LEASE.plusSeconds(5);
    /** Under load, while other builds have the machine, too. */
    private static final Duration TAKE_OVER_IF_BUSY = TAKE_OVER.multipliedBy(5);

    /** From the end of its lease on, by the database's clock. */
    private static final Duration REQUEUED = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int PLACES = 8;
    private static final int SOME = 15;
    private static final String LETTERS = "/api/v1/dead-letters";

    /** Who sleeps for longer gives its place up when others wait for one. */
    private static final String HOLDS_ITS_PLACE = "console.log('begun'); for (;;) await sleep(200);";

    private final BrokerProcess broker = BrokerProcess.start();
    private final PostgreSql database = PostgreSql.start();
    private final SallyportServer first = setup("node-a").launch();
    private final SallyportServer second = setup("node-b").launch();

    private ServerSetup setup(String name) {
        return broker.usedBy(database.usedBy(ServerSetup.fresh(name)))
                .with("sallyport.node.lease-millis", Long.toString(LEASE.toMillis()))
                .with("sallyport.shutdown.grace-millis", "5000")
                .with("sallyport.approvals.own", "true")
                .with("sallyport.runner.live", Integer.toString(PLACES));
    }

    @BeforeEach
    void bothAreReady() {
        for (SallyportServer node : List.of(first, second)) {
            if (!node.isAlive()) {
                node.begin();
            }
        }
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

    /**
     * Executions by the node that has them.
     *
     * @param all in the order of their numbers
     */
    private record Spread(List<String> all, List<String> onFirst) {
        List<String> onSecond() {
            return all.stream().filter(id -> !onFirst.contains(id)).toList();
        }
    }

    /** Submitted to the second node, each with its number as input; returns once they run. */
    private Spread runningOnBoth(String script) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < PLACES; i++) {
            ids.add(second.api().submit(Submission.javascript(script).args(Integer.toString(i))));
        }
        ids.forEach(id -> second.api().awaitOutput(id, "begun"));
        // Which node takes which is not promised, and either has places for so many.
        while (onFirst(ids).isEmpty() && ids.size() < 5 * PLACES) {
            String more = second.api().submit(Submission.javascript(script).args(Integer.toString(ids.size())));
            second.api().awaitOutput(more, "begun");
            ids.add(more);
        }
        List<String> onFirst = onFirst(ids);
        assertThat(onFirst).as("executions on the first node").isNotEmpty();
        return new Spread(List.copyOf(ids), onFirst);
    }

    private List<String> onFirst(List<String> ids) {
        String prefix = first.nodeId() + ".";
        return ids.stream().filter(id -> holder(id).startsWith(prefix)).toList();
    }

    private String holder(String id) {
        return database.text("select node from execution where id = cast(? as uuid)", id);
    }

    private static List<String> states(Api api, String id) {
        return api.trace(id).stream()
                .filter(event -> event.path("type").asText().equals("state"))
                .map(event -> event.path("state").asText())
                .toList();
    }

    @Test
    void whatAKilledNodeRanGoesOnElsewhereOnceItsLeaseHasEnded() {
        Spread spread = runningOnBoth("console.log('begun'); for (let i = 0; i < 150; i++) await sleep(200);"
                + " return await demo.add({ a: 1, b: 2 });");
        String brief = database.text(
                "update execution set durability = 'none' where id = cast(? as uuid) returning id",
                spread.onFirst().get(0));
        Pace pace = Pace.of(second.api());
        Traffic traffic = Traffic.begin(second::api);
        try (traffic) {
            traffic.awaitAccepted(SOME, PATIENCE);
            long killed = System.nanoTime();
            first.kill();

            for (String id : spread.onFirst().subList(1, spread.onFirst().size())) {
                Await.until(
                        id + " runs elsewhere",
                        TAKE_OVER_IF_BUSY,
                        () -> second.api().execution(id).path("attempt").asInt() == 2);
            }
            Duration took = Duration.ofNanos(System.nanoTime() - killed);
            System.out.println("taken over under load within " + took.toMillis() + " ms");
            assertThat(took).isLessThan(TAKE_OVER_IF_BUSY);
            Duration slowest = spread.onFirst().subList(1, spread.onFirst().size()).stream()
                    .map(this::fromLeaseToQueue)
                    .max(Comparator.naturalOrder())
                    .orElse(Duration.ZERO);
            System.out.println("in the queue within " + slowest.toMillis() + " ms of the end of the lease");
            assertThat(slowest).isLessThan(pace.within(REQUEUED));
        }
        JsonNode lost = second.api().awaitEnd(brief);
        assertThat(lost.path("error").path("code").asText()).isEqualTo("runner-lost");
        assertThat(lost.path("error").path("message").asText()).contains("durability none");
        spread.all().stream().filter(id -> !id.equals(brief)).forEach(id -> {
            JsonNode ended = second.api().awaitEnd(id);
            assertThat(ended.path("result").asInt()).as(ended.toString()).isEqualTo(3);
            assertThat(ended.path("output").asText()).isEqualTo("begun\n");
            assertThat(states(second.api(), id))
                    .isEqualTo(
                            spread.onFirst().contains(id)
                                    ? List.of("RUNNING", "PENDING", "RUNNING", "COMPLETED")
                                    : List.of("RUNNING", "COMPLETED"));
        });
        assertThat(traffic.faults()).isEmpty();
    }

    /** How long after the end of the dead node's lease an execution was given back, by the database's clock. */
    private Duration fromLeaseToQueue(String id) {
        String ended = database.text(
                "select cast(floor(extract(epoch from lease_until) * 1000) as bigint) from node where id = ?",
                first.nodeId());
        Instant requeued = second.api().trace(id).stream()
                .filter(event -> event.path("state").asText().equals("PENDING"))
                .map(event -> Instant.parse(event.path("at").asText()))
                .findFirst()
                .orElseThrow();
        return Duration.between(Instant.ofEpochMilli(Long.parseLong(ended)), requeued);
    }

    @Test
    void whatIsParkedOnANodeThatDiesGoesOnElsewhereAndMakesItsEffectsOnce() {
        String gate = UUID.randomUUID().toString();
        // So long a timer is parked for at once, and so is what people are asked.
        Spread spread = runningOnBoth("""
                const gate = 'GATE';
                console.log('begun');
                while (await demo.counter_read({ name: gate }) === 0) await sleep(400);
                const before = await demo.counter_increment({ name: `${gate}-${args}-before` });
                let heard = 'slept';
                if (args % 2 === 0) await sleep('31s');
                else heard = (await approvals.request({ title: gate })).state;
                const after = await demo.counter_increment({ name: `${gate}-${args}-after` });
                return { before, heard, after };
                """.replace("GATE", gate));
        second.api()
                .run(Submission.javascript("return demo.counter_increment({ name: args });")
                        .args("\"" + gate + "\""));
        for (String id : spread.all()) {
            Await.until(
                    id + " is parked",
                    PATIENCE,
                    () -> second.api().execution(id).path("state").asText().equals("WAITING"));
        }

        first.kill();
        second.api().get("/api/v1/approvals").expect(200).json().path("items").forEach(approval -> {
            if (spread.all().contains(approval.path("execution").asText())) {
                second.api()
                        .post("/api/v1/approvals/" + approval.path("id").asText() + "/approve", "{}")
                        .expect(200);
            }
        });

        for (int i = 0; i < spread.all().size(); i++) {
            String id = spread.all().get(i);
            JsonNode ended = second.api().awaitEnd(id);
            assertThat(ended.at("/result/heard").asText())
                    .as(ended.toString())
                    .isEqualTo(i % 2 == 0 ? "slept" : "APPROVED");
            assertThat(states(second.api(), id))
                    .containsExactly("RUNNING", "WAITING", "PENDING", "RUNNING", "COMPLETED");
            for (String when : List.of("before", "after")) {
                assertThat(second.api()
                                .run(Submission.javascript("return demo.counter_ledger({ name: args });")
                                        .args("\"" + gate + "-" + i + "-" + when + "\""))
                                .path("result"))
                        .as(when + " of " + ended)
                        .hasSize(1);
            }
        }
    }

    @Test
    void whatANodeCouldNotFinishBeforeItWasStoppedGoesOnElsewhere() {
        Spread spread =
                runningOnBoth("console.log('begun'); return await demo.slow({ millis: 15000, value: 'stopped' });");

        first.stop();

        for (String id : spread.onFirst()) {
            JsonNode ended = second.api().awaitEnd(id);
            assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo("stopped");
            assertThat(states(second.api(), id)).containsExactly("RUNNING", "PENDING", "RUNNING", "COMPLETED");
        }
        // Calls that were with the stopped node's connectors are made again here.
        for (String id : spread.onSecond()) {
            JsonNode ended = second.api().awaitEnd(id);
            assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo("stopped");
            assertThat(states(second.api(), id)).doesNotContain("FAILED", "PENDING");
        }
    }

    @Test
    void effectsThatAStoppedNodeHasBegunAreAnswered() {
        Spread spread = runningOnBoth("""
                const name = crypto.randomUUID();
                console.log('begun');
                return await demo.counter_increment({ name, delayMillis: 1500 });
                """);

        first.stop();

        for (String id : spread.all()) {
            JsonNode ended = second.api().awaitEnd(id);
            assertThat(ended.path("result").asInt()).as(ended.toString()).isEqualTo(1);
        }
    }

    @Test
    void aNodeThatStoodStillPastItsLeaseLetsGoOfWhatItRan() {
        Spread spread = runningOnBoth("""
                const name = crypto.randomUUID();
                console.log('begun');
                await sleep(args < 4 ? '12s' : '25s');
                return { name, count: await demo.counter_increment({ name }) };
                """);
        Processes.pause(first.pid());
        try {
            for (String id : spread.onFirst()) {
                Await.until(
                        id + " runs elsewhere",
                        // What the broker handed to the node that stands still is sent again after a while.
                        TAKE_OVER_IF_BUSY,
                        () -> second.api().execution(id).path("attempt").asInt() == 2);
            }
            // Those that sleep less have ended when the first goes on, and would have it make their effect at once.
            for (String id : spread.onFirst()) {
                if (spread.all().indexOf(id) < 4) {
                    second.api().awaitEnd(id);
                }
            }
        } finally {
            Processes.resume(first.pid());
        }
        first.awaitReady();
        spread.all().forEach(id -> {
            JsonNode ended = first.api().awaitEnd(id);
            assertThat(ended.at("/result/count").asInt()).as(ended.toString()).isEqualTo(1);
            assertThat(first.api()
                            .run(Submission.javascript("return demo.counter_ledger({ name: args });")
                                    .args(ended.path("result").path("name").toString()))
                            .path("result"))
                    .hasSize(1);
            assertThat(states(first.api(), id)).endsWith("RUNNING", "COMPLETED").containsOnlyOnce("COMPLETED");
        });
        assertThat(first.logText()).contains("could not renew its lease in time", "has its lease again");
    }

    @Test
    void aSecondNodeWithTheSameIdRefusesToStart() {
        try (SallyportServer twin =
                setup("twin").with("sallyport.node.id", second.nodeId()).launch()) {
            Await.until(
                    "the log names the other node",
                    Duration.ofMinutes(2),
                    () -> twin.logText().contains("there is another node with the id") || !twin.isAlive());
            assertThat(twin.logText())
                    .contains("there is another node with the id '" + second.nodeId() + "'", second.data() + "");
        }
        assertThat(second.api().get("/health/ready").expect(200).text()).contains("\"lease\":\"held\"");
    }

    @Test
    void aJobThatTheBrokerGaveUpEndsItsExecution() throws IOException {
        List<String> filling = IntStream.range(0, 2 * PLACES)
                .mapToObj(i -> second.api().submit(Submission.javascript(HOLDS_ITS_PLACE)))
                .toList();
        filling.forEach(id -> second.api().awaitOutput(id, "begun"));
        String waiting = second.api().submit(Submission.javascript("return 1;"));

        assertThat(broker.run(source(), waiting)).contains("sent");

        JsonNode ended = second.api().awaitEnd(waiting);
        assertThat(ended.path("state").asText()).isEqualTo("FAILED");
        assertThat(ended.path("error").path("code").asText()).isEqualTo("dead-letter");
        filling.forEach(id -> second.api().cancel(id));
        filling.forEach(id ->
                assertThat(second.api().awaitEnd(id).path("state").asText()).isEqualTo("CANCELLED"));

        JsonNode letter = letter(waiting);
        assertThat(letter.path("reason").asText())
                .isEqualTo(ended.path("error").path("message").asText());
        Answer replayed = second.api()
                .send(second.api()
                        .request(LETTERS + "/" + waiting + "/replay")
                        .header("Prefer", "wait=30")
                        .POST(HttpRequest.BodyPublishers.noBody()));
        assertThat(Description.of(second.api()).faults("POST", LETTERS + "/{id}/replay", replayed))
                .isEmpty();
        assertThat(replayed.expect(200).json().path("result").asInt()).isEqualTo(1);
        assertThat(replayed.json().path("rerunOf").asText()).isEqualTo(waiting);
        assertThat(letter(waiting).path("replayedAs").asText())
                .isEqualTo(replayed.json().path("id").asText());
        assertThat(second.api().execution(waiting)).isEqualTo(ended);
    }

    private JsonNode letter(String id) {
        Answer list = second.api().get(LETTERS + "?limit=200");
        assertThat(Description.of(second.api()).faults("GET", LETTERS, list)).isEmpty();
        return StreamSupport.stream(list.expect(200).json().path("items").spliterator(), false)
                .filter(item -> item.path("id").asText().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatIsNoDeadLetterIsNotReplayed() {
        String ended =
                second.api().run(Submission.javascript("return 1;")).path("id").asText();
        for (String id : List.of(ended, "019ea7c0-1a2b-7000-92af-3bd76810d50e", "x")) {
            Answer answer = second.api().post(LETTERS + "/" + id + "/replay", "{}");
            assertThat(answer.status()).as(answer.toString()).isEqualTo(404);
            assertThat(answer.problem()).isEqualTo("not-found");
        }
    }

    private static String source() throws IOException {
        try (InputStream stream = Objects.requireNonNull(NodesIT.class.getResourceAsStream("DeadJob.java"))) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
