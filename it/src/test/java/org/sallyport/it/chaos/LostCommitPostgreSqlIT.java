package org.sallyport.it.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.DatabaseProxy;
import org.sallyport.it.harness.DatabaseProxy.CommitLoss;
import org.sallyport.it.harness.LossyPostgreSql;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.UseServer;

/** Commits of PostgreSQL that a proxy loses, or whose answers it loses. */
@ExtendWith(ServerExtension.class)
@UseServer(ServerProfile.POSTGRESQL)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LostCommitPostgreSqlIT extends LostCommitContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final RestClient api;
    private final LossyPostgreSql database = LossyPostgreSql.shared();
    private final DatabaseProxy proxy = database.proxy();

    LostCommitPostgreSqlIT(RestClient api) {
        this.api = api;
    }

    @Override
    RestClient api() {
        return api;
    }

    @Override
    void loseAnswer(LostWrite write, String key) {
        lose(write, key, CommitLoss.ANSWER_RESET);
    }

    private void lose(LostWrite write, String key, CommitLoss loss) {
        String marker = switch (write) {
            case SUBMISSION -> key;
            // Parts of the statements: nothing outside of the service knows the id yet.
            case CLAIM -> "attempt = attempt + 1";
            case JOURNAL -> "truncated = truncated or";
        };
        proxy.loseCommits(marker, 1, loss);
    }

    @Override
    void loseAnswer(int commit, String id) {
        proxy.loseCommits(id, commit, CommitLoss.ANSWER_RESET);
    }

    @Override
    boolean isAnswerLost() {
        return proxy.lostCommits() == 1;
    }

    @Override
    void loseNoAnswer() {
        proxy.loseNoCommits();
        // After a failed test, an open transaction would keep its locks.
        proxy.commitHeld();
    }

    @Test
    void submissionWithALostAnswerNamesItsExecution() {
        String key = UUID.randomUUID().toString();
        // The service repeats a submission once. The repetition is stored.
        proxy.loseCommits(key, 1, CommitLoss.NOT_COMMITTED, CommitLoss.ANSWER_RESET);

        RestResponse answer = submit(key).join();

        String id = assertUnknown(answer);
        assertCompletedOnce(api.awaitEnd(id), key);
    }

    @Test
    void submissionOfUnknownOutcomeMayBeMissing() {
        String key = UUID.randomUUID().toString();
        proxy.loseCommits(key, 1, CommitLoss.NOT_COMMITTED, CommitLoss.NOT_COMMITTED);

        RestResponse answer = submit(key).join();

        String id = assertUnknown(answer);
        api.get(RestClient.EXECUTIONS + "/" + id).expectStatus(404);
        assertThat(api.listAll(RestClient.EXECUTIONS + "?label=key:" + key)).isEmpty();
    }

    private CompletableFuture<RestResponse> submit(String key) {
        return api.sendAsync(api.submissionRequest(submission(key).json()));
    }

    /** Asserts that the answer says that the execution may be stored. Returns the id of the execution. */
    private String assertUnknown(RestResponse answer) {
        assertThat(proxy.lostCommits()).isEqualTo(2);
        JsonNode problem = answer.expectStatus(503).json();
        assertThat(problem.path("outcome").asText()).as(answer.toString()).isEqualTo("unknown");
        String id = problem.path("id").asText();
        assertThat(problem.path("location").asText()).isEqualTo(RestClient.EXECUTIONS + "/" + id);
        return id;
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource
    void executionEndsAsUsualHoweverACommitIsLost(CommitLoss loss) {
        for (LostWrite write : LostWrite.values()) {
            assertCompletedAfter(loss, write);
        }
    }

    private void assertCompletedAfter(CommitLoss loss, LostWrite write) {
        String key = UUID.randomUUID().toString();
        lose(write, key, loss);

        CompletableFuture<RestResponse> submitted = submit(key);
        Await.until(loss + " of " + write, TIMEOUT, () -> proxy.lostCommits() == 1);
        if (loss == CommitLoss.COMMITTED_LATE) {
            Await.until("the repeated write waits for the lock", TIMEOUT, this::isWriteBlocked);
            proxy.commitHeld();
        }

        // A repeated submission that does not get the lock in time is unknown. Its answer names the execution, too.
        String id = submitted.join().json().path("id").asText();
        assertCompletedOnce(api.awaitEnd(id), key);
    }

    private boolean isWriteBlocked() {
        return !database.database()
                .queryText("select count(*) from pg_stat_activity where wait_event_type = ?", "Lock")
                .equals("0");
    }
}
