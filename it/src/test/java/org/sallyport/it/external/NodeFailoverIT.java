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
import org.sallyport.failpoint.Failpoint;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.FailpointBuild;
import org.sallyport.it.harness.FailpointControl;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.ProcessInspector;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.SubmissionLoad;
import org.sallyport.it.harness.TimingCalibration;

/** Two nodes on one broker and one database: when one node fails, the other resumes its executions. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodeFailoverIT {
    private static final Duration LEASE_DURATION = Duration.ofSeconds(4);
    private static final Duration TAKEOVER_TIME = LEASE_DURATION.plusSeconds(5);
    /** Takeover time under load, while other builds use the machine, too. */
    private static final Duration BUSY_TAKEOVER_TIME = TAKEOVER_TIME.multipliedBy(5);

    /** Time from the end of the lease, by the database's clock. */
    private static final Duration MAX_REQUEUE_TIME = Duration.ofSeconds(5);

    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final int MAX_LIVE_EXECUTIONS = 8;
    private static final int SUBMISSIONS_PER_PHASE = 15;
    private static final String DEAD_LETTERS = "/api/v1/dead-letters";

    /** A script that sleeps for longer releases its slot when other executions wait for one. */
    private static final String SLOT_HOLDER_SCRIPT = "console.log('begun'); for (;;) await sleep(200);";

    private final BrokerProcess broker = BrokerProcess.start();
    private final PostgreSql database = PostgreSql.start();
    private final FailpointControl failpoints = new FailpointControl();
    private final SallyportServer first = failpoints
            .configure(setup("node-a"))
            .withServerDirectory(FailpointBuild.createServerDirectory())
            .launch();
    private final SallyportServer second = setup("node-b").launch();

    private ServerSetup setup(String name) {
        return broker.configure(database.configure(ServerSetup.create(name)))
                .with("sallyport.node.lease-millis", Long.toString(LEASE_DURATION.toMillis()))
                .with("sallyport.shutdown.grace-millis", "5000")
                .with("sallyport.approvals.allow-self-approval", "true")
                .with("sallyport.runner.max-live-executions", Integer.toString(MAX_LIVE_EXECUTIONS));
    }

    @BeforeEach
    void bothAreReady() {
        for (SallyportServer node : List.of(first, second)) {
            if (!node.isAlive()) {
                node.startProcess();
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
     * Executions, by the node that runs them.
     *
     * @param all ids in the order of submission
     */
    private record ExecutionPlacement(List<String> all, List<String> onFirstNode) {
        List<String> onSecondNode() {
            return all.stream().filter(id -> !onFirstNode.contains(id)).toList();
        }
    }

    /**
     * Submits the script several times to the second node, each with its number as input, until the first node runs one
     * of them. Returns when all of them run.
     */
    private ExecutionPlacement submitToBothNodes(String script) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < MAX_LIVE_EXECUTIONS; i++) {
            ids.add(second.api().submit(SubmissionBody.javascript(script).args(Integer.toString(i))));
        }
        ids.forEach(id -> second.api().awaitOutput(id, "begun"));
        // It is undefined which node consumes which job, and each node has slots for all of the first ones.
        while (findOnFirstNode(ids).isEmpty() && ids.size() < 5 * MAX_LIVE_EXECUTIONS) {
            String more = second.api().submit(SubmissionBody.javascript(script).args(Integer.toString(ids.size())));
            second.api().awaitOutput(more, "begun");
            ids.add(more);
        }
        List<String> onFirst = findOnFirstNode(ids);
        assertThat(onFirst).as("executions on the first node").isNotEmpty();
        return new ExecutionPlacement(List.copyOf(ids), onFirst);
    }

    private List<String> findOnFirstNode(List<String> ids) {
        String prefix = first.nodeId() + ".";
        return ids.stream().filter(id -> claimingNode(id).startsWith(prefix)).toList();
    }

    private String claimingNode(String id) {
        return database.queryText("select node from execution where id = cast(? as uuid)", id);
    }

    private static List<String> states(RestClient api, String id) {
        return api.getTrace(id).stream()
                .filter(event -> event.path("type").asText().equals("state"))
                .map(event -> event.path("state").asText())
                .toList();
    }

    @Test
    void executionsOfAKilledNodeResumeElsewhereAfterItsLeaseEnds() {
        ExecutionPlacement spread =
                submitToBothNodes("console.log('begun'); for (let i = 0; i < 150; i++) await sleep(200);"
                        + " return await demo.add({ a: 1, b: 2 });");
        String brief = database.queryText(
                "update execution set durability = 'none' where id = cast(? as uuid) returning id",
                spread.onFirstNode().get(0));
        TimingCalibration pace = TimingCalibration.of(second.api());
        SubmissionLoad traffic = SubmissionLoad.start(second::api);
        try (traffic) {
            traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
            long killed = System.nanoTime();
            first.kill();

            for (String id :
                    spread.onFirstNode().subList(1, spread.onFirstNode().size())) {
                Await.until(
                        id + " runs elsewhere",
                        BUSY_TAKEOVER_TIME,
                        () -> second.api().getExecution(id).path("attempt").asInt() == 2);
            }
            Duration took = Duration.ofNanos(System.nanoTime() - killed);
            System.out.println("taken over under load within " + took.toMillis() + " ms");
            assertThat(took).isLessThan(BUSY_TAKEOVER_TIME);
            Duration slowest = spread
                    .onFirstNode()
                    .subList(1, spread.onFirstNode().size())
                    .stream()
                    .map(this::requeueTime)
                    .max(Comparator.naturalOrder())
                    .orElse(Duration.ZERO);
            System.out.println("in the queue within " + slowest.toMillis() + " ms of the end of the lease");
            assertThat(slowest).isLessThan(pace.adjustLimit(MAX_REQUEUE_TIME));
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
                            spread.onFirstNode().contains(id)
                                    ? List.of("RUNNING", "PENDING", "RUNNING", "COMPLETED")
                                    : List.of("RUNNING", "COMPLETED"));
        });
        assertThat(traffic.findViolations()).isEmpty();
    }

    /** Time from the end of the dead node's lease until the execution was requeued, by the database's clock. */
    private Duration requeueTime(String id) {
        String ended = database.queryText(
                "select cast(floor(extract(epoch from lease_until) * 1000) as bigint) from node where id = ?",
                first.nodeId());
        Instant requeued = second.api().getTrace(id).stream()
                .filter(event -> event.path("state").asText().equals("PENDING"))
                .map(event -> Instant.parse(event.path("at").asText()))
                .findFirst()
                .orElseThrow();
        return Duration.between(Instant.ofEpochMilli(Long.parseLong(ended)), requeued);
    }

    @Test
    void executionsParkedOnADeadNodeResumeElsewhereWithEffectsOnce() {
        String gate = UUID.randomUUID().toString();
        // The service parks an execution immediately for a timer of this length and for an approval request.
        ExecutionPlacement spread = submitToBothNodes("""
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
                .run(SubmissionBody.javascript("return demo.counter_increment({ name: args });")
                        .args("\"" + gate + "\""));
        for (String id : spread.all()) {
            Await.until(
                    id + " is parked",
                    TIMEOUT,
                    () -> second.api().getExecution(id).path("state").asText().equals("WAITING"));
        }

        first.kill();
        second.api()
                .get("/api/v1/approvals")
                .expectStatus(200)
                .json()
                .path("items")
                .forEach(approval -> {
                    if (spread.all().contains(approval.path("execution").asText())) {
                        second.api()
                                .post("/api/v1/approvals/" + approval.path("id").asText() + "/approve", "{}")
                                .expectStatus(200);
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
                                .run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                                        .args("\"" + gate + "-" + i + "-" + when + "\""))
                                .path("result"))
                        .as(when + " of " + ended)
                        .hasSize(1);
            }
        }
    }

    @Test
    void unfinishedExecutionsOfAStoppedNodeResumeElsewhere() {
        ExecutionPlacement spread =
                submitToBothNodes("console.log('begun'); return await demo.slow({ millis: 15000, value: 'stopped' });");

        first.stop();

        for (String id : spread.onFirstNode()) {
            JsonNode ended = second.api().awaitEnd(id);
            assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo("stopped");
            assertThat(states(second.api(), id)).containsExactly("RUNNING", "PENDING", "RUNNING", "COMPLETED");
        }
        // Calls that were pending at the stopped node's connectors are sent again to those of the second node.
        for (String id : spread.onSecondNode()) {
            JsonNode ended = second.api().awaitEnd(id);
            assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo("stopped");
            assertThat(states(second.api(), id)).doesNotContain("FAILED", "PENDING");
        }
    }

    @Test
    void effectsStartedByAStoppedNodeGetTheirReplies() {
        ExecutionPlacement spread = submitToBothNodes("""
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
    void nodePausedPastItsLeaseReleasesItsExecutions() {
        ExecutionPlacement spread = submitToBothNodes("""
                const name = crypto.randomUUID();
                console.log('begun');
                await sleep(args < 4 ? '12s' : '25s');
                return { name, count: await demo.counter_increment({ name }) };
                """);
        ProcessInspector.pause(first.pid());
        try {
            for (String id : spread.onFirstNode()) {
                Await.until(
                        id + " runs elsewhere",
                        // The broker redelivers the messages of the paused node after a timeout.
                        BUSY_TAKEOVER_TIME,
                        () -> second.api().getExecution(id).path("attempt").asInt() == 2);
            }
            // Waits for the executions with the short sleep: they must have ended before the first node resumes,
            // because that node would then try to make their effects immediately.
            for (String id : spread.onFirstNode()) {
                if (spread.all().indexOf(id) < 4) {
                    second.api().awaitEnd(id);
                }
            }
        } finally {
            ProcessInspector.resume(first.pid());
        }
        first.awaitReady();
        spread.all().forEach(id -> {
            JsonNode ended = first.api().awaitEnd(id);
            assertThat(ended.at("/result/count").asInt()).as(ended.toString()).isEqualTo(1);
            assertThat(first.api()
                            .run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                                    .args(ended.path("result").path("name").toString()))
                            .path("result"))
                    .hasSize(1);
            assertThat(states(first.api(), id)).endsWith("RUNNING", "COMPLETED").containsOnlyOnce("COMPLETED");
        });
        assertThat(first.logText()).contains("could not renew its lease in time", "holds its lease again");
    }

    /**
     * The node is paused after it has stored the begin of a call and before it sends the call. When it continues,
     * another node has ended the execution.
     */
    @Test
    void nodePausedBeforeASendSendsNothingLate() {
        String paused = "";
        failpoints.armPause(Failpoint.CALL_JOURNALED, 1);
        // It is undefined which node consumes which job.
        for (int i = 0; i < 5 * MAX_LIVE_EXECUTIONS && paused.isEmpty(); i++) {
            String id = second.api()
                    .submit(SubmissionBody.javascript("return await demo.counter_increment({ name: 'late-' + args });")
                            .args("\"" + i + "\""));
            Await.until(
                    id + " has ended, or its node is paused",
                    TIMEOUT,
                    () -> ProcessInspector.isPaused(first.pid())
                            || RestClient.isFinished(second.api().getExecution(id)));
            paused = ProcessInspector.isPaused(first.pid()) ? id : "";
        }
        failpoints.disarm();
        try {
            assertThat(paused).as("the execution whose node is paused").isNotEmpty();
            JsonNode ended = second.api().awaitEnd(paused);
            assertThat(ended.at("/error/code").asText()).as(ended.toString()).isEqualTo("outcome-unknown");
        } finally {
            ProcessInspector.resume(first.pid());
        }
        first.awaitReady();

        // Their calls are sent after a late call of the paused node would have been sent.
        for (int i = 0; i < 2 * MAX_LIVE_EXECUTIONS; i++) {
            assertThat(first.api()
                            .run(SubmissionBody.javascript("return await demo.add({ a: 1, b: 2 });"))
                            .path("result")
                            .asInt())
                    .isEqualTo(3);
        }
        String name = second.api().getExecution(paused).path("args").asText();
        assertThat(second.api()
                        .run(SubmissionBody.javascript("return demo.counter_ledger({ name: 'late-' + args });")
                                .args("\"" + name + "\""))
                        .path("result"))
                .isEmpty();
    }

    @Test
    void aSecondNodeWithTheSameIdRefusesToStart() {
        try (SallyportServer twin =
                setup("twin").with("sallyport.node.id", second.nodeId()).launch()) {
            Await.until(
                    "the log names the other node",
                    Duration.ofMinutes(2),
                    () -> twin.logText().contains("another node has the id") || !twin.isAlive());
            assertThat(twin.logText())
                    .contains("another node has the id '" + second.nodeId() + "'", second.dataDirectory() + "");
        }
        assertThat(second.api().get("/health/ready").expectStatus(200).text()).contains("\"lease\":\"held\"");
    }

    @Test
    void deadLetteredJobFailsItsExecution() throws IOException {
        List<String> filling = IntStream.range(0, 2 * MAX_LIVE_EXECUTIONS)
                .mapToObj(i -> second.api().submit(SubmissionBody.javascript(SLOT_HOLDER_SCRIPT)))
                .toList();
        filling.forEach(id -> second.api().awaitOutput(id, "begun"));
        String waiting = second.api().submit(SubmissionBody.javascript("return 1;"));

        assertThat(broker.runProgram(source(), waiting)).contains("sent");

        JsonNode ended = second.api().awaitEnd(waiting);
        assertThat(ended.path("state").asText()).isEqualTo("FAILED");
        assertThat(ended.path("error").path("code").asText()).isEqualTo("dead-letter");
        filling.forEach(id -> second.api().cancel(id));
        filling.forEach(id ->
                assertThat(second.api().awaitEnd(id).path("state").asText()).isEqualTo("CANCELLED"));

        JsonNode letter = findDeadLetter(waiting);
        assertThat(letter.path("reason").asText())
                .isEqualTo(ended.path("error").path("message").asText());
        RestResponse replayed = second.api()
                .send(second.api()
                        .request(DEAD_LETTERS + "/" + waiting + "/replay")
                        .header("Prefer", "wait=30")
                        .POST(HttpRequest.BodyPublishers.noBody()));
        assertThat(OpenApiResponseValidator.of(second.api()).validate("POST", DEAD_LETTERS + "/{id}/replay", replayed))
                .isEmpty();
        assertThat(replayed.expectStatus(200).json().path("result").asInt()).isEqualTo(1);
        assertThat(replayed.json().path("rerunOf").asText()).isEqualTo(waiting);
        assertThat(findDeadLetter(waiting).path("replayedAs").asText())
                .isEqualTo(replayed.json().path("id").asText());
        assertThat(second.api().getExecution(waiting)).isEqualTo(ended);
    }

    private JsonNode findDeadLetter(String id) {
        RestResponse list = second.api().get(DEAD_LETTERS + "?limit=200");
        assertThat(OpenApiResponseValidator.of(second.api()).validate("GET", DEAD_LETTERS, list))
                .isEmpty();
        return StreamSupport.stream(list.expectStatus(200).json().path("items").spliterator(), false)
                .filter(item -> item.path("id").asText().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void unknownDeadLetterIsNotRedelivered() {
        String ended = second.api()
                .run(SubmissionBody.javascript("return 1;"))
                .path("id")
                .asText();
        for (String id : List.of(ended, "019ea7c0-1a2b-7000-92af-3bd76810d50e", "x")) {
            RestResponse answer = second.api().post(DEAD_LETTERS + "/" + id + "/replay", "{}");
            assertThat(answer.status()).as(answer.toString()).isEqualTo(404);
            assertThat(answer.problemType()).isEqualTo("not-found");
        }
    }

    private static String source() throws IOException {
        try (InputStream stream = Objects.requireNonNull(NodeFailoverIT.class.getResourceAsStream("DeadJob.java"))) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
