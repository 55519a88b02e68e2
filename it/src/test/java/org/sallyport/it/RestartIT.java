package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Expendable;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.StoredKeys;
import org.sallyport.it.harness.Submission;

/** What a killed server has promised is kept by the next one on its data. */
@ExtendWith(Servers.class)
class RestartIT {
    private static final int COMPLETED = 5;
    private static final int PENDING = 20;

    private final SallyportServer server;

    RestartIT(@Expendable SallyportServer server) {
        this.server = server;
    }

    @Test
    void killedServerLosesNothingThatWasAccepted() throws IOException {
        Api api = server.api();
        String counter = UUID.randomUUID().toString();
        List<JsonNode> completed = IntStream.range(0, COMPLETED)
                .mapToObj(i -> api.run(Submission.javascript(
                                "console.log('n', args, '\uD83D\uDE00'); await demo.echo(args); return { n: args };")
                        .args(Integer.toString(i))))
                .toList();
        List<List<JsonNode>> traces =
                completed.stream().map(each -> api.trace(id(each))).toList();
        List<String> running = IntStream.range(0, Servers.EXPENDABLE_PLACES)
                .mapToObj(i -> api.submit(
                        Submission.javascript("console.log('begun'); for (let i = 0; i < 125; i++) await sleep(200);"
                                        + " return demo.add({ a: args, b: 1 });")
                                .args(Integer.toString(i))
                                .with("durability", i == 0 ? "\"none\"" : "\"journal\"")))
                .toList();
        running.forEach(id -> api.awaitOutput(id, "begun"));
        List<String> pending = new ArrayList<>();
        for (int i = 0; i < PENDING; i++) {
            pending.add(api.submit(Submission.javascript("return demo.counter_increment({ name: args });")
                    .args("\"" + counter + "\"")));
        }
        Instant soon = Instant.now().plusSeconds(20);
        String delayed = api.submit(Submission.javascript("return demo.counter_increment({ name: args });")
                .args("\"" + counter + "\"")
                .with("notBefore", "\"" + soon + "\""));
        String distant = api.submit(Submission.javascript("return 1;").with("delayMillis", "86400000"));
        List<ProcessHandle> below = server.below();
        assertThat(below).isNotEmpty();
        Path left = Files.writeString(server.data().resolve("run/payara/left"), "of the killed server");

        server.kill();

        Await.until(
                "the workers of a killed server end by themselves",
                Duration.ofSeconds(60),
                () -> below.stream().noneMatch(ProcessHandle::isAlive));
        String expired = StoredKeys.addExpired(server.data());
        server.begin();
        List<Answer> whileItStarts = knocks(api, server);
        assertThat(left).doesNotExist();
        completed.forEach(before -> assertThat(api.execution(id(before))).isEqualTo(before));
        assertThat(completed.stream().map(each -> api.trace(id(each)))).isEqualTo(traces);
        JsonNode brief = api.awaitEnd(running.get(0));
        assertThat(brief.path("state").asText()).isEqualTo("FAILED");
        assertThat(brief.path("error").path("code").asText()).isEqualTo("runner-lost");
        for (int i = 1; i < running.size(); i++) {
            JsonNode ended = api.awaitEnd(running.get(i));
            assertThat(ended.path("result").asInt()).as(ended.toString()).isEqualTo(i + 1);
            assertThat(ended.path("output").asText()).isEqualTo("begun\n");
            assertThat(ended.path("attempt").asInt()).isEqualTo(2);
        }
        for (String id : pending) {
            assertThat(api.awaitEnd(id).path("state").asText()).isEqualTo("COMPLETED");
        }
        assertThat(api.get(Api.EXECUTIONS + "/" + distant + "/why")
                        .json()
                        .path("reason")
                        .asText())
                .isEqualTo("scheduled");
        api.cancel(distant);
        assertThat(api.awaitEnd(distant).path("state").asText()).isEqualTo("CANCELLED");
        JsonNode late = api.awaitEnd(delayed);
        assertThat(late.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(Instant.parse(late.path("startedAt").asText()))
                .isAfterOrEqualTo(soon.truncatedTo(ChronoUnit.MICROS));
        pending.add(delayed);
        JsonNode ledger = api.run(Submission.javascript("return demo.counter_ledger({ name: args });")
                        .args("\"" + counter + "\""))
                .path("result");
        List<String> calls = new ArrayList<>();
        ledger.forEach(call -> calls.add(call.asText()));
        assertThat(calls)
                .containsExactlyInAnyOrderElementsOf(
                        pending.stream().map(id -> id + "/1").toList());
        assertThat(api.ids()).contains(running.toArray(String[]::new)).contains(pending.toArray(String[]::new));
        expiredKeyIsRefused(api, expired);
        whoCameWhileItStartedWasToldToComeAgain(whileItStarts);
    }

    /** Submits again and again until the server is ready. */
    private static List<Answer> knocks(Api api, SallyportServer server) {
        List<Answer> answers = Collections.synchronizedList(new ArrayList<>());
        AtomicBoolean ready = new AtomicBoolean();
        Thread knocking = new Thread(() -> {
            while (!ready.get()) {
                try {
                    answers.add(api.post(
                            Api.EXECUTIONS,
                            Submission.javascript("return args").args("1").json()));
                } catch (AssertionError e) {
                    // Nobody listens: that is an answer, too.
                    Thread.onSpinWait();
                }
                pause();
            }
        });
        knocking.start();
        server.awaitReady();
        ready.set(true);
        try {
            knocking.join();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
        return answers;
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    private void whoCameWhileItStartedWasToldToComeAgain(List<Answer> answers) {
        assertThat(answers).extracting(Answer::status).contains(503).isSubsetOf(503, 202);
        answers.forEach(answer -> {
            if (answer.status() == 503) {
                assertThat(answer.problem()).as(answer.toString()).isEqualTo("unavailable");
                assertThat(answer.header("Retry-After")).as(answer.toString()).matches("\\d+");
            } else {
                assertThat(server.api()
                                .awaitEnd(id(answer.json()))
                                .path("state")
                                .asText())
                        .isEqualTo("COMPLETED");
            }
        });
    }

    /** Here because a key can be made to expire only while the server is down. */
    private static void expiredKeyIsRefused(Api api, String expired) {
        Answer answer = api.as(expired).get(Api.EXECUTIONS);

        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.problem()).isEqualTo("unauthorized");
        assertThat(answer.text())
                .doesNotContain(expired)
                .isEqualTo(api.as("sp_nobody").get(Api.EXECUTIONS).text());
    }

    private static String id(JsonNode execution) {
        return execution.path("id").asText();
    }
}
