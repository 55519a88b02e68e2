package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.approval.Approval;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.Json;

/** Scripts that assemble secrets, with the real sandbox. */
class SecretRunTest {
    private static final Redactor SECRET = new Redactor(List.of("hunter2-4711"));
    private static final String COMPOSED = "const s = ['hunter2', '4711'].join('-'); ";

    private final ScriptRunFixture runs = new ScriptRunFixture(tenant -> Policy.defaultPolicy());

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    @Test
    void callsReceiveSecretsAndApproversSeeThemRedacted() throws Exception {
        runs.redactor = SECRET;
        ExecutionId id = runs.submit(
                COMPOSED + "const { echo } = await b.effect({ s });"
                        + " return [echo.s === s, await b.mail({ s }).catch((e) => e.code)]",
                Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.WAITING);
        Approval asked = runs.approvals.last();
        assertThat(asked.request().arguments()).isEqualTo(new Json("{\"s\":\"hunter2-4711\"}"));
        Approval shown = new TraceRedactor(SECRET).redact(asked);
        assertThat(shown.request().arguments()).isEqualTo(new Json("{\"s\":\"[redacted]\"}"));
        assertThat(shown.hash()).isEqualTo(asked.request().hash());

        List<TraceEvent> stored = runs.store.readTrace(id, 0, 100);
        assertThat(stored.toString()).contains("hunter2-4711");
        assertThat(stored.stream()
                        .map(new TraceRedactor(SECRET)::redact)
                        .toList()
                        .toString())
                .contains("{\"s\":\"[redacted]\"}")
                .doesNotContain("hunter2-4711");
    }

    @Test
    void approversSeeARedactedFallbackValueAndTheScriptTheWholeOne() throws Exception {
        Json value = new Json("{\"s\":\"hunter2-4711\"}");
        ApprovalTerms terms =
                new ApprovalTerms(1, ApprovalTerms.DEFAULT_TIMEOUT, ApprovalTerms.ExpiryAction.value(value), "why");
        ScriptRunFixture valued = new ScriptRunFixture(
                tenant -> (tool, arguments, situation) -> new PolicyDecision.AskDecision("valued", terms, false));
        ExecutionId id = valued.submit("const { s } = await b.mail({}); return s.length", Optional.empty());
        assertThat(valued.runOnNewNode(id)).isEqualTo(ExecutionState.WAITING);
        valued.approvals.expireAll();
        assertThat(valued.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(valued.store.row(id).outcome).isEqualTo(new ExecutionOutcome.ExecutionCompleted(new Json("12")));

        Approval expired = valued.approvals.last();
        assertThat(expired.resultAtExpiry()).contains(value);
        Approval shown = new TraceRedactor(SECRET).redact(expired);
        assertThat(shown.resultAtExpiry()).contains(new Json("{\"s\":\"[redacted]\"}"));
        assertThat(valued.store.readTrace(id, 0, 100).stream()
                        .map(new TraceRedactor(SECRET)::redact)
                        .toList()
                        .toString())
                .contains("{\"s\":\"[redacted]\"}")
                .doesNotContain("hunter2-4711");
    }

    @Test
    void emittedEventsAreRedactedAndReplayStillMatches() throws Exception {
        runs.redactor = SECRET;
        ExecutionId id = runs.submit(
                COMPOSED + "const next = events.next('told'); await events.emit('told', { s });"
                        + " await b.again({ n: 1 }); await b.again({ n: 2 }); return (await next).data",
                Optional.empty());
        runs.runThroughCrashes(id, List.of(2, 1, 1));
        assertThat(result(id)).isEqualTo("{\"s\":\"[redacted]\"}");
    }

    @Test
    void secretAcrossPiecesIsRedactedAndOutputKeepsItsOrder() {
        JournalBuffer entries = new JournalBuffer(
                InstantSource.system(), 0, 0, 0, 0, BlockedAttempts.NONE, new EntryMemory(runs.memory, "t"));
        RunOutput output = new RunOutput(
                entries,
                new OutputRedactor(() -> SECRET, () -> SECRET),
                InstantSource.fixed(Instant.EPOCH),
                () -> false,
                () -> {});
        output.add(OutputKind.OUT, "one\n");
        output.add(OutputKind.ERR, "two\n");
        output.add(OutputKind.OUT, "s = hunter2");
        output.add(OutputKind.ERR, "three\n");
        output.add(OutputKind.OUT, "-4711\n");
        output.flush();

        assertThat(entries.takeUnwritten().output())
                .containsExactly(
                        new OutputChunk(OutputKind.OUT, 0, "one\n", 0, Instant.EPOCH),
                        new OutputChunk(OutputKind.ERR, 0, "two\n", 4, Instant.EPOCH),
                        new OutputChunk(OutputKind.OUT, 4, "s = ", 8, Instant.EPOCH),
                        new OutputChunk(OutputKind.ERR, 4, "three\n", 12, Instant.EPOCH),
                        new OutputChunk(OutputKind.OUT, 8, "[redacted]**\n", 18, Instant.EPOCH));
    }

    @Test
    void outputOfBothStreamsIsStoredOnceInOrderThroughCrashes() throws Exception {
        String code = "for (let i = 0; i < 6; i++) { console.log('out', i); console.error('err', i);"
                + " await b.again({ i }); } return 1;";
        String expected = IntStream.range(0, 6)
                .mapToObj(i -> "out " + i + "\nerr " + i + "\n")
                .collect(Collectors.joining());
        for (int writes = 0; writes < 8; writes++) {
            ExecutionId id = runs.submit(code, Optional.empty());
            runs.runThroughCrashes(id, List.of(writes, 2, 1));
            assertThat(result(id)).isEqualTo("1");
            List<OutputChunk> output = runs.store.row(id).output;
            assertThat(output.stream().map(OutputChunk::text).collect(Collectors.joining()))
                    .isEqualTo(expected);
            assertThat(output).isSortedAccordingTo(Comparator.comparing(OutputChunk::at));
        }
    }

    @Test
    void newSecretIsRedactedFromThenOnWhileAScriptRuns() {
        Redactor[] now = {Redactor.NONE};
        OutputRedactor discretion = new OutputRedactor(() -> now[0], () -> now[0]);
        assertThat(discretion.redactOutput(OutputKind.OUT, "hunter2-4711 ")).isEqualTo("hunter2-4711 ");
        now[0] = SECRET;
        assertThat(discretion.redactOutput(OutputKind.OUT, "hunter2-4711 hun")).isEqualTo("[redacted]** ");
        now[0] = new Redactor(List.of("hunter2-4711", "another-secret"));
        assertThat(discretion.redactOutput(OutputKind.OUT, "ter2-4711!")).isEqualTo("[redacted]**!");
        assertThat(discretion.redact("another-secret")).isEqualTo("[redacted]");
        assertThat(discretion.redact(new ExecutionOutcome.ExecutionCompleted(new Json("\"another-secret\""))))
                .isEqualTo(new ExecutionOutcome.ExecutionCompleted(new Json("\"[redacted]\"")));
    }
}
