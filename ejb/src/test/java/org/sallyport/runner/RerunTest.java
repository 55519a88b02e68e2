package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Policy;
import org.sallyport.tool.ToolErrorCode;

/**
 * Re-runs, with the real sandbox: calls that are answered from the recording, calls that are made, and the effect of a
 * crash.
 */
class RerunTest {
    private static final int SCRIPTS = Integer.getInteger("sallyport.test.laws", 8);
    private static final String THREE = """
            const seen = [];
            for (const n of [1, 2, 3]) {
              seen.push(await b.effect({ n, r: Math.random(), at: Date.now() }).catch((e) => e.code));
              console.log('after', n);
              await sleep(1);
            }
            return seen;
            """;

    private final ScriptRunFixture runs = new ScriptRunFixture(tenant -> Policy.defaultPolicy());
    private final InMemoryExecutionStore store = runs.store;
    private final InMemoryArtifactStore artifacts = runs.artifacts;
    private final ScriptRunFixture.FakeToolBridge toolBridge = runs.toolBridge;

    private ExecutionId original(String code) throws Exception {
        return ended(code, Optional.empty(), List.of());
    }

    private ExecutionId again(ExecutionId of, String code, RerunOrigin.RerunMode mode, long from, Integer... deaths)
            throws Exception {
        boolean edited = !store.row(of).execution.code().equals(code);
        return ended(code, Optional.of(new RerunOrigin(of, mode, from, edited)), List.of(deaths));
    }

    /**
     * Runs a script on successive nodes. Each node dies after its number of writes in {@code deaths}; the last node
     * survives.
     */
    private ExecutionId ended(String code, Optional<RerunOrigin> rerun, List<Integer> deaths) throws Exception {
        ExecutionId id = runs.submit(code, rerun);
        runs.runThroughCrashes(id, deaths);
        assertThat(store.row(id).state.isTerminal()).as(code).isTrue();
        return id;
    }

    /** Calls and replies in the trace, as {@code "1 effect"} and {@code "1 ="}, with a star if replayed. */
    private List<String> trace(ExecutionId id) {
        List<String> trace = new ArrayList<>();
        for (TraceEvent event : store.readTrace(id, 0, 1_000)) {
            if (event instanceof TraceEvent.ToolStarted started) {
                trace.add(started.call() + " " + started.tool().tool() + (started.replayed() ? "*" : ""));
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                trace.add(ended.call() + " =" + (ended.replayed() ? "*" : ""));
            }
        }
        return trace;
    }

    private String outcome(ExecutionId id) {
        return String.valueOf(store.row(id).outcome);
    }

    @Test
    void freshRerunMakesEveryCall() throws Exception {
        ExecutionId first = original("return await b.effect({ n: 1 })");
        toolBridge.takeCalls();

        ExecutionId rerun = again(first, "return await b.effect({ n: 1 })", RerunOrigin.RerunMode.FRESH, 1);

        assertThat(toolBridge.takeCalls()).containsExactly("1 effect");
        assertThat(trace(rerun)).containsExactly("1 effect", "1 =");
    }

    @Test
    void rerunFromACallReplaysEarlierCallsAndMakesTheRest() throws Exception {
        ExecutionId first = original(THREE);
        toolBridge.takeCalls();

        ExecutionId rerun = again(first, THREE, RerunOrigin.RerunMode.FROM, 3);

        assertThat(toolBridge.takeCalls()).containsExactly("3 effect");
        assertThat(trace(rerun)).containsExactly("1 effect*", "1 =*", "2 effect*", "2 =*", "3 effect", "3 =");
        assertThat(store.row(rerun).out).hasToString(store.row(first).out.toString());
        assertThat(store.row(rerun).outcome).isInstanceOf(ExecutionOutcome.ExecutionCompleted.class);
        // The random numbers continue as recorded; the time is the current time.
        assertThat(outcome(rerun)).contains(outcome(first).substring(0, 100));
    }

    @Test
    void offlineRerunReplaysAllCallsAndMakesNone() throws Exception {
        ExecutionId first = original(THREE);
        toolBridge.takeCalls();

        ExecutionId rerun = again(first, THREE, RerunOrigin.RerunMode.OFFLINE, 1);

        assertThat(toolBridge.takeCalls()).isEmpty();
        assertThat(outcome(rerun)).isEqualTo(outcome(first));
        assertThat(trace(rerun)).allMatch(each -> each.endsWith("*")).hasSize(6);
    }

    @Test
    void rerunOfARerunReplaysItsReplayedCalls() throws Exception {
        ExecutionId first = original(THREE);
        ExecutionId second = again(first, THREE, RerunOrigin.RerunMode.FROM, 3);
        toolBridge.takeCalls();

        ExecutionId third = again(second, THREE, RerunOrigin.RerunMode.OFFLINE, 1);
        ExecutionId fourth = again(second, THREE, RerunOrigin.RerunMode.FROM, 2);

        assertThat(toolBridge.takeCalls()).containsExactly("2 effect", "3 effect");
        assertThat(outcome(third)).isEqualTo(outcome(second));
        assertThat(trace(fourth)).startsWith("1 effect*", "1 =*", "2 effect");
    }

    @Test
    void sameScriptWithADifferentCallDiverges() throws Exception {
        // Stands for any cause that makes a script take another path: here the recording is from another script.
        ExecutionId first = original("return await b.effect({ n: 1 })");
        ExecutionId rerun = ended(
                "return await b.effect({ n: 2 })",
                Optional.of(new RerunOrigin(first, RerunOrigin.RerunMode.OFFLINE, 1, false)),
                List.of());

        assertThat(store.row(rerun).outcome)
                .isInstanceOfSatisfying(
                        ExecutionOutcome.ExecutionFailed.class,
                        failed -> assertThat(failed.error())
                                .satisfies(error ->
                                        assertThat(error.code()).isEqualTo(ErrorCode.NON_DETERMINISTIC_REPLAY.code()))
                                .satisfies(error -> assertThat(error.message()).contains("{\"n\":1}", "{\"n\":2}")));
    }

    @Test
    void editedScriptMakesCallsFromTheFirstDifference() throws Exception {
        ExecutionId first = original(THREE.replace(", at: Date.now()", ""));
        toolBridge.takeCalls();

        ExecutionId rerun = again(
                first,
                THREE.replace(", at: Date.now()", "").replace("[1, 2, 3]", "[1, 7, 3]"),
                RerunOrigin.RerunMode.FROM,
                4);

        assertThat(toolBridge.takeCalls()).containsExactly("2 effect", "3 effect");
        assertThat(trace(rerun)).containsExactly("1 effect*", "1 =*", "2 effect", "2 =", "3 effect", "3 =");
    }

    @Test
    void editedScriptWithSequentialCallsReplaysParallelAnswers() throws Exception {
        ExecutionId first = original("return await Promise.all([b.effect({ n: 1 }), b.effect({ n: 2 })])");
        toolBridge.takeCalls();

        ExecutionId rerun = again(
                first, "return [await b.effect({ n: 1 }), await b.effect({ n: 2 })]", RerunOrigin.RerunMode.OFFLINE, 1);

        assertThat(toolBridge.takeCalls()).isEmpty();
        assertThat(outcome(rerun)).isEqualTo(outcome(first));
    }

    @Test
    void unrecordedCallFailsOffline() throws Exception {
        ExecutionId first = original("return await b.effect({ n: 1 })");
        toolBridge.takeCalls();

        ExecutionId rerun = again(
                first,
                "await b.effect({ n: 1 }); try { await b.effect({ n: 2 }); } catch (e) { return e.code; }",
                RerunOrigin.RerunMode.OFFLINE,
                1);

        assertThat(toolBridge.takeCalls()).isEmpty();
        assertThat(outcome(rerun)).contains("not-recorded");
    }

    @Test
    void rerunOwnsTheArtifactsOfItsReplayedPart() throws Exception {
        String code = """
                const { artifacts } = globalThis;
                await artifacts.write('a.txt', 'kept');
                const n = await b.effect({ n: 1 });
                return [await artifacts.read('a.txt'), n];
                """;
        ExecutionId first = original(code);
        assertThat(store.row(first).outcome).isInstanceOf(ExecutionOutcome.ExecutionCompleted.class);

        ExecutionId rerun = again(first, code, RerunOrigin.RerunMode.FROM, 2);

        assertThat(outcome(rerun)).isEqualTo(outcome(first));
        assertThat(artifacts.list(rerun)).hasSize(1);
    }

    @Test
    void rerunWithoutItsRecordingFailsAndMakesNoCall() throws Exception {
        ExecutionId missing = runs.nextId();

        ExecutionId rerun =
                ended(THREE, Optional.of(new RerunOrigin(missing, RerunOrigin.RerunMode.FROM, 2, false)), List.of());

        assertThat(outcome(rerun)).contains(ErrorCode.RECORDING_GONE.code());
        assertThat(toolBridge.takeCalls()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void resumedRerunEndsLikeTheOriginal(long seed) throws Exception {
        RandomToolScripts scripts = new RandomToolScripts(seed);
        Random random = new Random(seed);
        for (int i = 0; i < SCRIPTS; i++) {
            String code = scripts.script();
            ExecutionId first = original(code);
            List<String> effects = toolBridge.takeCalls();
            int from = 1 + random.nextInt(8);
            boolean offline = random.nextInt(3) == 0;
            String rerun = random.nextInt(3) == 0 ? code + " // edited" : code;
            Integer[] deaths = random.ints(random.nextInt(4), 0, 5).boxed().toArray(Integer[]::new);
            ExecutionId rerunId = again(
                    first, rerun, offline ? RerunOrigin.RerunMode.OFFLINE : RerunOrigin.RerunMode.FROM, from, deaths);
            List<String> calls = toolBridge.takeCalls();

            String description = rerun + "\nfrom " + from + (offline ? " offline" : "") + " deaths " + List.of(deaths)
                    + "\n" + store.row(first).trace + "\n" + store.row(rerunId).trace;
            assertThat(store.row(rerunId).outcome)
                    .as(description)
                    .isInstanceOf(ExecutionOutcome.ExecutionCompleted.class);
            if (offline) {
                assertThat(calls).as(description).isEmpty();
            } else {
                assertThat(calls).as(description).allMatch(call -> ordinal(call) >= from);
                assertThat(calls.stream().filter(call -> call.endsWith("effect")))
                        .as(description)
                        .doesNotHaveDuplicates();
            }
            if (!trace(rerunId).isEmpty() && !isUnknown(rerunId)) {
                assertThat(outcome(rerunId)).as(description).isEqualTo(outcome(first));
                assertThat(store.row(rerunId).out)
                        .as(description)
                        .hasToString(store.row(first).out.toString());
                assertThat(calls.stream().distinct())
                        .as(description)
                        .containsExactlyInAnyOrderElementsOf(effects.stream()
                                .filter(call -> !offline && ordinal(call) >= from)
                                .toList());
            }
        }
    }

    private static long ordinal(String call) {
        return Long.parseLong(call.substring(0, call.indexOf(' ')));
    }

    private boolean isUnknown(ExecutionId id) {
        return store.row(id).trace.stream()
                .anyMatch(event -> event instanceof TraceEvent.ToolEnded ended
                        && ended.error()
                                .filter(error -> error.code() == ToolErrorCode.OUTCOME_UNKNOWN)
                                .isPresent());
    }
}
