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

    private static final ExpectedEnd EXPECTED_END =
            ExpectedEnd.completed(result -> result.asInt() == 1).withOutput("begun\ncounted\n");

    private static final ExpectedEnd EXPECTED_LONG_END = ExpectedEnd.completed(
                    result -> result.path("sum").asInt() == 42
                            && result.path("first").asInt() == 42
                            && result.path("second").isNull())
            .withOutput("begun\ncounted\nwaited\n");

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
        assertCorrectHistory("one lost answer", ended, EXPECTED_END);
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
        assertCorrectHistory("without the answer of commit " + commit, ended, EXPECTED_LONG_END);
        assertThat(effects(key))
                .as("effects of " + ended)
                .isBetween(ended.at("/result/count").isInt() ? 1 : 0, 1);
        return lost;
    }

    private void assertCorrectHistory(String description, JsonNode ended, ExpectedEnd expected) {
        assertThat(HistoryChecker.findViolations(api(), List.of(ended.path("id").asText()), expected))
                .as(description)
                .isEmpty();
    }

    private int effects(String key) {
        return api().run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                        .args('"' + key + '"'))
                .path("result")
                .size();
    }
}
