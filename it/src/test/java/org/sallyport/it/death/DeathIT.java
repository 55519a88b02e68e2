package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.StoredKeys;
import org.sallyport.it.harness.Submission;
import org.sallyport.it.harness.Tenant;

/** What a killed server has promised is kept by the next one on its data. */
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeathIT {
    /** As many executions as {@link Promise#HELD} at the death, and one for all that goes on beside them. */
    private static final int PLACES = AcceptedExecutions.RUNNING + 3 + 1;

    private final SallyportServer server = Profile.RICH
            .fresh("death")
            .with("sallyport.runner.park-after-millis", "1000")
            .with("sallyport.runner.live", Integer.toString(PLACES))
            // On a busy machine more than the default of 100 times may be due before all are seen to.
            .with("sallyport.schedules.catch-up", "10000")
            .start();
    private final Tenant us = Tenant.of(server);
    private final Api api = us.api();
    private final DueCallbacks callbacks = new DueCallbacks(api);
    private final UnfinishedUpload upload = new UnfinishedUpload(server, us.key());
    /** In the order in which they are made: those come last of which much is to be under way. */
    private final List<Promise> promises = List.of(
            new PendingApproval(api),
            new DueSchedules(api),
            new ChargedCosts(api),
            callbacks,
            new NestedExecutions(api),
            new ParkedExecutions(api),
            upload,
            new AcceptedExecutions(api),
            new LearnedTools(api),
            new KeptScripts(api, Tenant.of(server).api()),
            new AcceptedBatches(api, PLACES));

    private List<ProcessHandle> below = List.of();
    private List<Answer> whileItStarted = List.of();
    private Path leftBehind = Path.of("");
    private String expired = "";

    @BeforeAll
    void die() throws IOException {
        promises.forEach(Promise::make);
        below = server.below();
        leftBehind = Files.writeString(server.data().resolve("run/payara/left"), "of the killed server");
        server.kill();
        upload.close();
        // A key can be made to expire only while the server is down.
        expired = StoredKeys.addExpired(server.data());
        server.begin();
        whileItStarted = knocks();
        Promise.letGo(api);
    }

    @AfterAll
    void end() {
        server.close();
        callbacks.close();
    }

    private Stream<Named<Promise>> promises() {
        return promises.stream().map(promise -> Named.of(promise.getClass().getSimpleName(), promise));
    }

    @ParameterizedTest
    @MethodSource("promises")
    void isKept(Promise promise) {
        promise.assertKept();
    }

    @Test
    void processesAndFilesOfAKilledServerAreNotLeft() {
        assertThat(below).isNotEmpty();
        Await.until(
                "the workers of a killed server end by themselves",
                Duration.ofSeconds(120),
                () -> below.stream().noneMatch(ProcessHandle::isAlive));
        assertThat(leftBehind).doesNotExist();
    }

    @Test
    void anExpiredKeyIsRefusedAsOneThatNobodyHas() {
        Answer answer = api.as(expired).get(Api.EXECUTIONS);

        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.problem()).isEqualTo("unauthorized");
        assertThat(answer.text())
                .doesNotContain(expired)
                .isEqualTo(api.as("sp_nobody").get(Api.EXECUTIONS).text());
    }

    @Test
    void whoCameWhileItStartedWasToldToComeAgain() {
        assertThat(whileItStarted).extracting(Answer::status).contains(503).isSubsetOf(503, 202);
        whileItStarted.forEach(answer -> {
            if (answer.status() == 503) {
                assertThat(answer.problem()).as(answer.toString()).isEqualTo("unavailable");
                assertThat(answer.header("Retry-After")).as(answer.toString()).matches("\\d+");
            } else {
                assertThat(api.awaitEnd(answer.json().path("id").asText())
                                .path("state")
                                .asText())
                        .isEqualTo("COMPLETED");
            }
        });
    }

    /** Submits again and again until the server is ready. */
    private List<Answer> knocks() {
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
        try {
            server.awaitReady();
        } finally {
            ready.set(true);
        }
        join(knocking);
        return answers;
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }
}
