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
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.it.harness.ApiKeyInserter;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/**
 * The next server on the data of a killed server keeps the promises of that server. Begins late, because other classes
 * use its server before it.
 */
@Order(Integer.MAX_VALUE)
@ExtendWith(ServerExtension.class)
@UseServer(ServerProfile.FAILPOINTS)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CrashRecoveryIT {
    private final SallyportServer server;
    private final RestClient api;
    private final CallbackRecoveryScenario callbacks;
    private final SleepRecoveryScenario sleep;
    private final UploadRecoveryScenario upload;
    /** In the order of preparation. Scenarios that need many running executions come last. */
    private final List<RecoveryScenario> scenarios;

    private List<ProcessHandle> descendants = List.of();
    private List<RestResponse> answersDuringStart = List.of();
    private Path leftoverFile = Path.of("");
    private String expiredKey = "";

    CrashRecoveryIT(SallyportServer server, TestTenant tenant, TestTenant other) {
        this.server = server;
        this.api = tenant.api();
        callbacks = new CallbackRecoveryScenario(api);
        sleep = new SleepRecoveryScenario(api);
        upload = new UploadRecoveryScenario(server, tenant.key());
        scenarios = List.of(
                sleep,
                new ApprovalRecoveryScenario(api),
                new ScheduleRecoveryScenario(api),
                new RetryRecoveryScenario(api),
                new ScheduledRowsRecoveryScenario(api),
                new CostRecoveryScenario(api),
                callbacks,
                new NestedExecutionRecoveryScenario(api),
                new ParkedExecutionRecoveryScenario(api),
                upload,
                new ExecutionRecoveryScenario(api),
                new ToolGraphRecoveryScenario(api),
                new ToolNameRecoveryScenario(server.api()),
                new SavedScriptRecoveryScenario(api, other.api()),
                new BatchRecoveryScenario(api, ServerProfile.MAX_RECOVERED_EXECUTIONS));
    }

    @BeforeAll
    void killServer() throws IOException {
        scenarios.forEach(RecoveryScenario::prepare);
        sleep.awaitAPartOfTheSleep();
        descendants = server.descendants();
        leftoverFile = Files.writeString(server.dataDirectory().resolve("run/payara/left"), "of the killed server");
        server.kill();
        upload.close();
        // A test can insert an expired key only while the server is down.
        expiredKey = ApiKeyInserter.insertExpired(server.dataDirectory());
        server.startProcess();
        answersDuringStart = submitUntilReady();
        RecoveryScenario.releaseScripts(api);
    }

    @AfterAll
    void end() {
        callbacks.close();
    }

    private Stream<Named<RecoveryScenario>> promises() {
        return scenarios.stream().map(promise -> Named.of(promise.getClass().getSimpleName(), promise));
    }

    @ParameterizedTest
    @MethodSource("promises")
    void promiseIsKeptAfterACrash(RecoveryScenario promise) {
        promise.assertRecovered();
    }

    @Test
    void killedServerLeavesNoProcessesOrFiles() {
        assertThat(descendants).isNotEmpty();
        Await.until(
                "the workers of a killed server end by themselves",
                Duration.ofSeconds(120),
                () -> descendants.stream().noneMatch(ProcessHandle::isAlive));
        assertThat(leftoverFile).doesNotExist();
    }

    @Test
    void expiredKeyIsRefusedLikeAnUnknownKey() {
        RestResponse answer = api.withKey(expiredKey).get(RestClient.EXECUTIONS);

        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.problemType()).isEqualTo("unauthorized");
        assertThat(answer.text())
                .doesNotContain(expiredKey)
                .isEqualTo(api.withKey("sp_nobody").get(RestClient.EXECUTIONS).text());
    }

    @Test
    void requestsDuringStartAreAcceptedOrRefusedWithRetryAfter() {
        assertThat(answersDuringStart)
                .extracting(RestResponse::status)
                .contains(503)
                .isSubsetOf(503, 202);
        answersDuringStart.forEach(answer -> {
            if (answer.status() == 503) {
                assertThat(answer.problemType()).as(answer.toString()).isEqualTo("unavailable");
                assertThat(answer.header("Retry-After")).as(answer.toString()).matches("\\d+");
            } else {
                assertThat(api.awaitEnd(answer.json().path("id").asText())
                                .path("state")
                                .asText())
                        .isEqualTo("COMPLETED");
            }
        });
    }

    /** Repeats submissions until the server is ready. */
    private List<RestResponse> submitUntilReady() {
        List<RestResponse> answers = Collections.synchronizedList(new ArrayList<>());
        AtomicBoolean ready = new AtomicBoolean();
        Thread knocking = new Thread(() -> {
            while (!ready.get()) {
                try {
                    answers.add(api.post(
                            RestClient.EXECUTIONS,
                            SubmissionBody.javascript("return args").args("1").json()));
                } catch (AssertionError e) {
                    // A refused connection also counts as a response.
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
            Thread.sleep(50);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }
}
