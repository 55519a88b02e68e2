package org.sallyport.it.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/**
 * The database commits a transaction of an execution, and the service does not receive the answer. The execution must
 * end as if it had received it. Each test loses one answer.
 */
abstract class LostCommitContract {
    /** The writes whose lost answers the fast tests produce. */
    enum LostWrite {
        /** The execution is accepted. */
        SUBMISSION,
        /** A runner claims the execution. */
        CLAIM,
        /** The journal is written for the first time. */
        JOURNAL
    }

    private static final int MIN_COMMITS = 3;
    private static final int MAX_COMMITS = 60;

    private static final String SCRIPT = """
            console.log('begun');
            const count = await demo.counter_increment({ name: args });
            console.log('counted');
            return count;
            """;

    /** The call of the tool may fail, because the demo backend keeps its counters in the same database. */
    private static final String LONG_SCRIPT = """
            const go = events.next(`go.${args}`);
            await sleep(1);
            console.log('begun');
            await go;
            const sum = await demo.add({ a: 19, b: 23 });
            let count;
            try {
              count = await demo.counter_increment({ name: args });
            } catch (e) {
              count = e.code;
            }
            console.log('counted');
            const next = events.next(`sum.${args}`);
            await events.emit(`sum.${args}`, sum);
            const first = await next;
            const second = await events.next(`sum.${args}`, { timeout: 1500 });
            console.log('waited');
            return { sum, count, first: first.data, second };
            """;

    abstract RestClient api();

    /** Loses the answer of the first write of this kind that the service makes for a submission with the key. */
    abstract void loseAnswer(LostWrite write, String key);

    /** Loses the answer of the n-th commit from now, from 1, that the service makes for an execution. */
    abstract void loseAnswer(int commit, String id);

    /** Returns whether the answer is lost. */
    abstract boolean isAnswerLost();

    /** Loses no answer that is not lost yet. */
    abstract void loseNoAnswer();

    @AfterEach
    void disarm() {
        loseNoAnswer();
    }

    /** A submission whose script and arguments contain the key. */
    static SubmissionBody submission(String key) {
        return submission("// " + key + "\n" + SCRIPT, key);
    }

    private static SubmissionBody submission(String script, String key) {
        return SubmissionBody.javascript(script).args('"' + key + '"').label("key", key);
    }

    @ParameterizedTest
    @EnumSource
    void executionEndsAsUsualWhenOneAnswerIsLost(LostWrite write) {
        String key = UUID.randomUUID().toString();
        loseAnswer(write, key);

        JsonNode ended = api().run(submission(key));

        assertThat(isAnswerLost()).as("the answer is lost").isTrue();
        assertCompletedOnce(ended, key);
    }

    /** Asserts that the execution of {@link #submission} ended as usual, and that the service accepted no other one. */
    void assertCompletedOnce(JsonNode ended, String key) {
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        assertThat(ended.path("result").asInt()).as(ended.toString()).isEqualTo(1);
        assertThat(ended.path("output").asText()).isEqualTo("begun\ncounted\n");
        assertReachedNoOtherEnd(ended);
        assertThat(effects(key)).isEqualTo(1);
        assertThat(api().listAll(RestClient.EXECUTIONS + "?label=key:" + key)).hasSize(1);
    }

    @Tag("slow")
    @Test
    void executionEndsAsUsualWhicheverAnswerIsLost() {
        int commit = 1;
        while (endsAsUsualWithoutTheAnswer(commit)) {
            commit++;
            assertThat(commit).as("commits of an execution").isLessThan(MAX_COMMITS);
        }
        assertThat(commit).as("commits of an execution").isGreaterThan(MIN_COMMITS);
    }

    /** Returns whether the execution made so many commits. */
    private boolean endsAsUsualWithoutTheAnswer(int commit) {
        String key = UUID.randomUUID().toString();
        String id = api().submit(submission(LONG_SCRIPT, key));
        api().awaitOutput(id, "begun");
        loseAnswer(commit, id);
        api().post("/api/v1/events", "{\"name\": \"go." + key + "\"}").expectStatus(201);

        JsonNode ended = api().awaitEnd(id);

        boolean lost = isAnswerLost();
        loseNoAnswer();
        assertThat(ended.path("state").asText())
                .as("without the answer of commit " + commit + ": " + ended)
                .isEqualTo("COMPLETED");
        JsonNode result = ended.path("result");
        assertThat(result.path("sum").asInt()).as(ended.toString()).isEqualTo(42);
        assertThat(result.path("first").asInt()).as(ended.toString()).isEqualTo(42);
        assertThat(result.path("second").isNull()).as(ended.toString()).isTrue();
        assertThat(ended.path("output").asText()).isEqualTo("begun\ncounted\nwaited\n");
        assertReachedNoOtherEnd(ended);
        assertThat(effects(key))
                .as("effects of " + ended)
                .isBetween(result.path("count").isInt() ? 1 : 0, 1);
        return lost;
    }

    /** The execution may have been parked while it waited for the repeated write. */
    private void assertReachedNoOtherEnd(JsonNode ended) {
        List<String> states = api().getTrace(ended.path("id").asText()).stream()
                .filter(event -> event.path("type").asText().equals("state"))
                .map(event -> event.path("state").asText())
                .toList();
        assertThat(states)
                .startsWith("RUNNING")
                .endsWith("RUNNING", "COMPLETED")
                .containsOnlyOnce("COMPLETED")
                .doesNotContain("FAILED", "CANCELLED", "TIMED_OUT");
    }

    private int effects(String key) {
        return api().run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                        .args('"' + key + '"'))
                .path("result")
                .size();
    }
}
