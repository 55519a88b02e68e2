package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.approval.Approval;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.OutputKind;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Policy;
import org.sallyport.policy.Terms;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.Json;

/** Scripts that put secrets together, with the real sandbox. */
class SecretRunTest {
    private static final Redaction SECRET = new Redaction(List.of("hunter2-4711"));
    private static final String COMPOSED = "const s = ['hunter2', '4711'].join('-'); ";

    private final ScriptRuns runs = new ScriptRuns(tenant -> Policy.standard());

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof Outcome.Completed completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    @Test
    void callsGetThemWholeAndPeopleSeeNone() throws Exception {
        runs.secret = SECRET;
        ExecutionId id = runs.accept(
                COMPOSED + "const { echo } = await b.effect({ s });"
                        + " return [echo.s === s, await b.mail({ s }).catch((e) => e.code)]",
                Optional.empty());
        assertThat(runs.live(id)).isEqualTo(ExecutionState.WAITING);
        Approval asked = runs.approvals.last();
        assertThat(asked.question().arguments()).isEqualTo(new Json("{\"s\":\"hunter2-4711\"}"));
        Approval shown = new WithoutSecrets(SECRET).of(asked);
        assertThat(shown.question().arguments()).isEqualTo(new Json("{\"s\":\"[redacted]\"}"));
        assertThat(shown.hash()).isEqualTo(asked.question().hash());

        List<TraceEvent> stored = runs.store.trace(id, 0, 100);
        assertThat(stored.toString()).contains("hunter2-4711");
        assertThat(stored.stream().map(new WithoutSecrets(SECRET)::of).toList().toString())
                .contains("{\"s\":\"[redacted]\"}")
                .doesNotContain("hunter2-4711");
    }

    @Test
    void peopleSeeNoneInWhatACallIsAnsweredAtTheDeadlineAndTheScriptGetsItWhole() throws Exception {
        Json value = new Json("{\"s\":\"hunter2-4711\"}");
        Terms terms = new Terms(1, Terms.PATIENCE, Terms.AtExpiry.value(value), "why");
        ScriptRuns valued =
                new ScriptRuns(tenant -> (tool, arguments, situation) -> new Decision.Ask("valued", terms, false));
        ExecutionId id = valued.accept("const { s } = await b.mail({}); return s.length", Optional.empty());
        assertThat(valued.live(id)).isEqualTo(ExecutionState.WAITING);
        valued.approvals.expireAll();
        assertThat(valued.live(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(valued.store.row(id).outcome).isEqualTo(new Outcome.Completed(new Json("12")));

        Approval over = valued.approvals.last();
        assertThat(over.answer()).contains(value);
        Approval shown = new WithoutSecrets(SECRET).of(over);
        assertThat(shown.answer()).contains(new Json("{\"s\":\"[redacted]\"}"));
        assertThat(valued.store.trace(id, 0, 100).stream()
                        .map(new WithoutSecrets(SECRET)::of)
                        .toList()
                        .toString())
                .contains("{\"s\":\"[redacted]\"}")
                .doesNotContain("hunter2-4711");
    }

    @Test
    void eventsHoldNoneAndAScriptThatIsRunAgainStillRepeatsItself() throws Exception {
        runs.secret = SECRET;
        ExecutionId id = runs.accept(
                COMPOSED + "const next = events.next('told'); await events.emit('told', { s });"
                        + " await b.again({ n: 1 }); await b.again({ n: 2 }); return (await next).data",
                Optional.empty());
        runs.endure(id, List.of(2, 1, 1));
        assertThat(result(id)).isEqualTo("{\"s\":\"[redacted]\"}");
    }

    @Test
    void whatBecomesSecretWhileAScriptRunsIsHiddenFromThenOn() {
        Redaction[] now = {Redaction.NOTHING};
        Discretion discretion = new Discretion(() -> now[0], () -> now[0]);
        assertThat(discretion.printed(OutputKind.OUT, "hunter2-4711 ")).isEqualTo("hunter2-4711 ");
        now[0] = SECRET;
        assertThat(discretion.printed(OutputKind.OUT, "hunter2-4711 hun")).isEqualTo("[redacted]** ");
        now[0] = new Redaction(List.of("hunter2-4711", "another-secret"));
        assertThat(discretion.printed(OutputKind.OUT, "ter2-4711!")).isEqualTo("[redacted]**!");
        assertThat(discretion.of("another-secret")).isEqualTo("[redacted]");
        assertThat(discretion.of(new Outcome.Completed(new Json("\"another-secret\""))))
                .isEqualTo(new Outcome.Completed(new Json("\"[redacted]\"")));
    }
}
