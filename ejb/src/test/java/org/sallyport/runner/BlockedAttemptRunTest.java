package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptCount;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptKind;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.journal.JournalBatch;
import org.sallyport.policy.Policy;
import org.sallyport.redaction.Redactor;

/** Counts of blocked attempts over parking, replays and crashes, with the real sandbox. */
class BlockedAttemptRunTest {
    private static final String TRY = "const attempt = (f) => { try { f() } catch {} };\n";

    private final ScriptRunFixture runs =
            new ScriptRunFixture(tenant -> Policy.defaultPolicy(), Duration.ofMillis(100));

    private final LogRecorder log = LogRecorder.of(BlockedAttemptLog.class);
    private final List<BlockedAttempts> observed = new CopyOnWriteArrayList<>();

    @BeforeEach
    void listen() {
        runs.metricsListener.setObserver(new RunMetricsListener.RunObserver() {
            @Override
            public void onAttemptsBlocked(BlockedAttempts attempts) {
                observed.add(attempts);
            }
        });
    }

    @AfterEach
    void leave() {
        log.close();
    }

    private static BlockedAttemptCount count(BlockedAttemptKind kind, String name, long count) {
        return new BlockedAttemptCount(kind, name, count);
    }

    private List<BlockedAttemptCount> stored(ExecutionId id) {
        return runs.store.row(id).blockedAttempts.counts();
    }

    private List<String> linesOf(ExecutionId id) {
        return log.lines().stream().filter(line -> line.contains(id.toString())).toList();
    }

    @Test
    void attemptsAreStoredWithTheEndLoggedOnceAndObservedOnce() throws Exception {
        ExecutionId id = runs.submit(
                TRY + "attempt(() => Deno.readFile('x')); attempt(() => Deno.readFile('y'));\n"
                        + "attempt(() => require('fs')); await tools.other.tool({}).catch(() => 0)",
                Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);

        assertThat(stored(id))
                .containsExactlyInAnyOrder(
                        count(BlockedAttemptKind.GLOBAL, "Deno.readFile", 2),
                        count(BlockedAttemptKind.MODULE, "fs", 1),
                        count(BlockedAttemptKind.TOOL, "other.tool", 1));
        assertThat(observed).containsExactly(runs.store.row(id).blockedAttempts);
        assertThat(linesOf(id))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .contains(
                                "of tenant \"t\"",
                                "4 blocked attempts",
                                "global \"Deno.readFile\" (2)",
                                "module \"fs\" (1)"));
    }

    @Test
    void executionWithoutAttemptsHasNoneAndIsNotLogged() throws Exception {
        ExecutionId id = runs.submit("await b.read({ n: 1 }).catch(() => 0); return typeof fetch", Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(stored(id)).isEmpty();
        assertThat(linesOf(id)).isEmpty();
        assertThat(observed).isEmpty();
    }

    /** A hostile script causes no write for its attempts, and no long line in the log. */
    @Test
    void veryManyAttemptsCostOneWriteAndOneShortLine() throws Exception {
        ExecutionId id = runs.submit(
                TRY + "for (let i = 0; i < 500; i++) attempt(() => process[i + '\\n' + 'x'.repeat(500)])",
                Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.store.row(id).blockedAttempts.total()).isEqualTo(500);
        assertThat(stored(id)).hasSize(BlockedAttempts.MAX_NAMES + 1);
        assertThat(runs.store.row(id).writes)
                .as("the running state and the end at most")
                .isLessThanOrEqualTo(2);
        assertThat(linesOf(id))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .hasSizeLessThan(1_000)
                        .doesNotContain("\n")
                        .contains("500 blocked attempts", ", and others"));
    }

    @Test
    void parkingAndResumeCountNoAttemptTwice() throws Exception {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = runs.submit(
                TRY + "attempt(() => fetch('x')); await tools.other.tool({}).catch(() => 0);\n"
                        + "await b.effect({ n: 1 });\n"
                        + "attempt(() => fetch('y')); await tools.other.tool({}).catch(() => 0)",
                Optional.empty());
        node.run(id);
        await(node, id, ExecutionState.WAITING);
        assertThat(stored(id))
                .containsExactlyInAnyOrder(
                        count(BlockedAttemptKind.GLOBAL, "fetch", 1), count(BlockedAttemptKind.TOOL, "other.tool", 1));
        assertThat(linesOf(id)).as("it has not ended").isEmpty();
        runs.toolBridge.releaseReply();
        await(node, id, ExecutionState.COMPLETED);

        assertThat(stored(id))
                .containsExactlyInAnyOrder(
                        count(BlockedAttemptKind.GLOBAL, "fetch", 2), count(BlockedAttemptKind.TOOL, "other.tool", 2));
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> !observed.isEmpty());
        assertThat(linesOf(id)).hasSize(1);
    }

    private void await(ExecutionRunner node, ExecutionId id, ExecutionState state) throws InterruptedException {
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> {
            node.poll();
            return runs.store.row(id).state == state;
        });
    }

    /** Nodes die after each possible number of writes. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void crashAtAnyWriteCountsNoAttemptTwiceAndLosesNone(int writes) throws Exception {
        ExecutionId id = runs.submit(
                TRY + "attempt(() => fetch('x')); await tools.other.tool({}).catch(() => 0);\n"
                        + "await b.effect({ n: 1 }).catch(() => 0);\n"
                        + "attempt(() => fetch('y')); await tools.other.tool({}).catch(() => 0);\n"
                        + "await b.effect({ n: 2 }).catch(() => 0)",
                Optional.empty());
        runs.runThroughCrashes(id, List.of(writes, writes));
        assertThat(runs.store.row(id).state).isEqualTo(ExecutionState.COMPLETED);
        assertThat(stored(id))
                .containsExactlyInAnyOrder(
                        count(BlockedAttemptKind.GLOBAL, "fetch", 2), count(BlockedAttemptKind.TOOL, "other.tool", 2));
    }

    @Test
    void secretInANameIsRedacted() throws Exception {
        runs.redactors = tenant -> new Redactor(List.of("hunter2-hunter2"));
        ExecutionId id = runs.submit(TRY + "attempt(() => Deno['hunter2' + '-hunter2'])", Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(stored(id))
                .singleElement()
                .satisfies(each -> assertThat(each.name()).startsWith("Deno.").doesNotContain("hunter2"));
    }

    @Test
    void secretInTheNameOfAToolIsRedacted() throws Exception {
        runs.redactors = tenant -> new Redactor(List.of("hunter2-hunter2"));
        ExecutionId id =
                runs.submit("await tools.other['hunter2' + '-hunter2']({}).catch(() => 0); return 1", Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(stored(id))
                .singleElement()
                .satisfies(each -> assertThat(each.name()).startsWith("other.").doesNotContain("hunter2"));
        assertThat(linesOf(id)).hasSize(1).noneMatch(line -> line.contains("hunter2"));
    }

    @Test
    void secretThatIsCutWithItsNameIsRedacted() throws Exception {
        runs.redactors = tenant -> new Redactor(List.of("hunter2-hunter2"));
        ExecutionId id = runs.submit(
                TRY + "attempt(() => Deno['x'.repeat(82) + 'hunter2' + '-hunter2']);\n"
                        + "attempt(() => require('x'.repeat(90) + 'hunter2' + '-hunter2'))",
                Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(stored(id))
                .hasSize(2)
                .allSatisfy(
                        each -> assertThat(each.name()).contains("[redacted").doesNotContain("hunter2"));
    }

    @Test
    void oneExecutionAMinuteIsLogged() throws Exception {
        for (int i = 0; i < 3; i++) {
            ExecutionId id = runs.submit(TRY + "attempt(() => fetch('x'))", Optional.empty());
            assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
            assertThat(stored(id)).hasSize(1);
        }
        assertThat(log.lines().stream().filter(line -> line.contains("of tenant \"t\"")))
                .hasSize(1);
        assertThat(observed).hasSize(3);
    }

    /** Neither log nor metric tell of attempts that the execution does not have. */
    @Test
    void attemptsThatCannotBeStoredAreNotReported() throws Exception {
        runs.store.unwritable = (outcome, entries) -> !entries.equals(JournalBatch.NONE);
        ExecutionId id = runs.submit(TRY + "attempt(() => fetch('x'))", Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.FAILED);
        assertThat(stored(id)).isEmpty();
        assertThat(linesOf(id)).isEmpty();
        assertThat(observed).isEmpty();
    }
}
