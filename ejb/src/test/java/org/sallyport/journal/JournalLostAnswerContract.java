package org.sallyport.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.event.EventStore;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptCount;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptKind;
import org.sallyport.execution.CacheOptions;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionProgress;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecutionBuilder;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.RetryPolicy;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.execution.Suspension;
import org.sallyport.script.ScriptStore;
import org.sallyport.store.jpa.CommitFaults;
import org.sallyport.store.jpa.CommitFaults.CommitFault;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * Contract of {@link Journal} for commits that the store does not answer: each write takes effect once, whether the
 * first commit succeeded, failed, or succeeds after the write was repeated. Each test starts with an empty store.
 */
public abstract class JournalLostAnswerContract {
    private static final String TENANT = "tenant-a";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Instant AT = Instant.parse("2026-10-25T01:30:00.123456Z");
    private static final ToolName ECHO = new ToolName("demo", "echo");
    private static final ExecutionOutcome DONE = new ExecutionOutcome.ExecutionCompleted(new Json("{\"a\":1}"));
    private static final int WRITERS = 32;

    /** The entries of a write that is not answered. */
    private static final JournalBatch FIRST = new JournalBatch(
            List.of(started(1), started(2)),
            List.of(piece(OutputKind.OUT, 0, "ab", 0), piece(OutputKind.ERR, 0, "c", 2)),
            false);

    /** {@link #FIRST}, and the entries that the script has added since. */
    private static final JournalBatch GROWN = new JournalBatch(
            append(FIRST.events(), started(3)),
            append(append(FIRST.output(), piece(OutputKind.ERR, 1, "d", 3)), piece(OutputKind.OUT, 2, "e", 4)),
            true);

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    protected abstract ScriptStore scripts();

    protected abstract EventStore eventStore();

    protected abstract CommitFaults faults();

    private static TraceEvent started(long seq) {
        return new TraceEvent.ToolStarted(seq, AT, seq, ECHO, new Json("[1]"));
    }

    private static OutputChunk piece(OutputKind kind, long offset, String text, long sequence) {
        return new OutputChunk(kind, offset, text, sequence, AT);
    }

    private static <T> List<T> append(List<T> list, T last) {
        return Stream.concat(list.stream(), Stream.of(last)).toList();
    }

    /** The batch with the event that the execution leaves its run for the state. */
    private static JournalBatch withState(JournalBatch batch, ExecutionState next) {
        TraceEvent last = new TraceEvent.StateChanged(batch.events().size() + 1, AT, next, 1);
        return new JournalBatch(append(batch.events(), last), batch.output(), batch.truncated());
    }

    private FencingToken running() {
        return running(anExecution());
    }

    private FencingToken running(NewExecutionBuilder builder) {
        NewExecution execution = builder.build();
        store().insert(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence();
    }

    private Execution found(FencingToken fence) {
        return store().find(TENANT, fence.id()).orElseThrow();
    }

    private void assertStored(FencingToken fence, ExecutionState state, JournalBatch entries) {
        assertStored(fence, state, entries, false);
    }

    /** Asserts that exactly these entries are stored, and the closing event of an ended execution. */
    private void assertStored(FencingToken fence, ExecutionState state, JournalBatch entries, boolean cancelRequested) {
        List<TraceEvent> events = journal().readEntries(fence.id(), 0, 1_000);
        int count = entries.events().size() + (state.isTerminal() ? 1 : 0);
        assertThat(events).hasSize(count).startsWith(entries.events().toArray(new TraceEvent[0]));
        assertThat(store().readOutputInOrder(fence.id(), 0, 0, 1_000)).isEqualTo(entries.output());
        assertThat(journal().findPosition(fence.id()))
                .contains(new StoredPosition(
                        state,
                        fence.attempt(),
                        count,
                        length(entries, OutputKind.OUT),
                        length(entries, OutputKind.ERR),
                        cancelRequested));
        assertThat(found(fence).truncated()).isEqualTo(entries.truncated());
    }

    private static long length(JournalBatch entries, OutputKind kind) {
        return entries.output().stream()
                .filter(piece -> piece.kind() == kind)
                .mapToLong(piece -> piece.text().length())
                .sum();
    }

    @ParameterizedTest
    @EnumSource
    void appendIsStoredOnce(CommitFault commitFault) throws Exception {
        FencingToken fence = running();
        assertThat(faults().repeatAfter(commitFault, () -> journal().append(fence, FIRST)))
                .isTrue();
        assertStored(fence, ExecutionState.RUNNING, FIRST);
    }

    @ParameterizedTest
    @EnumSource
    void grownAppendCutsTheStoredPrefix(CommitFault commitFault) throws Exception {
        FencingToken fence = running();
        faults().loseAnswer(commitFault, () -> journal().append(fence, FIRST));

        assertThat(faults().repeat(() -> journal().append(fence, GROWN))).isTrue();

        assertStored(fence, ExecutionState.RUNNING, GROWN);
        assertThat(journal().append(fence, new JournalBatch(List.of(started(4)), List.of(), true)))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void progressAndAttemptsSinceAStoredAppendAreStored(CommitFault commitFault) throws Exception {
        FencingToken fence = running();
        ExecutionProgress progress = new ExecutionProgress(500, "half");
        BlockedAttempts attempts =
                new BlockedAttempts(List.of(new BlockedAttemptCount(BlockedAttemptKind.TOOL, "mail.send", 1)));
        JournalBatch reported =
                new JournalBatch(FIRST.events(), FIRST.output(), false, Optional.of(progress), Optional.of(attempts));
        faults().loseAnswer(commitFault, () -> journal().append(fence, FIRST));

        assertThat(faults().repeat(() -> journal().append(fence, reported))).isTrue();

        assertStored(fence, ExecutionState.RUNNING, FIRST);
        assertThat(found(fence).progress()).contains(progress);
        assertThat(found(fence).blockedAttempts()).isEqualTo(attempts);
    }

    @ParameterizedTest
    @EnumSource
    void releaseIsStoredOnce(CommitFault commitFault) throws Exception {
        FencingToken fence = running();
        JournalBatch entries = withState(FIRST, ExecutionState.PENDING);

        ReleaseResult repeated =
                faults().repeatAfter(commitFault, () -> journal().release(fence, entries));

        assertThat(repeated)
                .isEqualTo(commitFault == CommitFault.NOT_COMMITTED ? ReleaseResult.RELEASED : ReleaseResult.LOST);
        assertStored(fence, ExecutionState.PENDING, entries);
        assertThat(store().claim(fence.id(), "node.2").orElseThrow().fence().attempt())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void grownReleaseCutsTheStoredPrefix(CommitFault commitFault) throws Exception {
        FencingToken fence = running();
        JournalBatch entries = withState(GROWN, ExecutionState.PENDING);
        faults().loseAnswer(commitFault, () -> journal().append(fence, FIRST));

        assertThat(faults().repeat(() -> journal().release(fence, entries))).isEqualTo(ReleaseResult.RELEASED);

        assertStored(fence, ExecutionState.PENDING, entries);
    }

    private static List<SuspendRequest> suspendRequests() {
        return List.of(
                SuspendRequest.until(Suspension.SuspensionReason.TIMER, HOUR),
                new SuspendRequest(Suspension.SuspensionReason.TOOL, HOUR, List.of(), Optional.of("node.1")),
                new SuspendRequest(
                        Suspension.SuspensionReason.EVENT,
                        HOUR,
                        List.of(new SuspendRequest.EventWait("paid", 0)),
                        Optional.empty()));
    }

    @ParameterizedTest
    @EnumSource
    void parkIsStoredOnce(CommitFault commitFault) throws Exception {
        JournalBatch entries = withState(FIRST, ExecutionState.WAITING);
        for (SuspendRequest parking : suspendRequests()) {
            FencingToken fence = running();

            SuspendRequest.SuspendResult repeated =
                    faults().repeatAfter(commitFault, () -> journal().park(fence, entries, parking));

            assertThat(repeated)
                    .isEqualTo(
                            commitFault == CommitFault.NOT_COMMITTED
                                    ? SuspendRequest.SuspendResult.PARKED
                                    : SuspendRequest.SuspendResult.LOST);
            assertStored(fence, ExecutionState.WAITING, entries);
            assertResumes(fence, parking);
        }
    }

    @ParameterizedTest
    @EnumSource
    void grownParkCutsTheStoredPrefix(CommitFault commitFault) throws Exception {
        JournalBatch entries = withState(GROWN, ExecutionState.WAITING);
        for (SuspendRequest parking : suspendRequests()) {
            FencingToken fence = running();
            faults().loseAnswer(commitFault, () -> journal().append(fence, FIRST));

            assertThat(faults().repeat(() -> journal().park(fence, entries, parking)))
                    .isEqualTo(SuspendRequest.SuspendResult.PARKED);

            assertStored(fence, ExecutionState.WAITING, entries);
            assertResumes(fence, parking);
        }
    }

    /** Asserts that the execution waits for all that it asked for, and resumes it. */
    private void assertResumes(FencingToken fence, SuspendRequest parking) {
        if (!parking.events().isEmpty()) {
            long after = eventStore().lastSeq(TENANT);
            assertThat(eventStore().emit(TENANT, running(), 1, "paid", Json.NULL))
                    .contains(new EventStore.EmittedEvent(after + 1, true));
            assertThat(eventStore().resumeParked(TENANT, "paid", after + 1, 10)).hasSize(1);
        } else if (parking.replyLeaseOwner().isPresent()) {
            assertThat(store().resumeOrphanedWaits("node.2", 10)).isEqualTo(1);
        } else {
            assertThat(store().resumeDue(fence, Duration.ZERO)).isTrue();
        }
        assertThat(found(fence).state()).isEqualTo(ExecutionState.PENDING);
    }

    @ParameterizedTest
    @EnumSource
    void endIsStoredOnce(CommitFault commitFault) throws Exception {
        assertEndStoredOnce(commitFault, new Json("{\"a\":1}"));
    }

    /** A long result has a transaction of its own in H2. */
    @ParameterizedTest
    @EnumSource
    void endWithALongResultIsStoredOnce(CommitFault commitFault) throws Exception {
        assertEndStoredOnce(commitFault, new Json("\"" + "x".repeat(200_000) + "\""));
    }

    private void assertEndStoredOnce(CommitFault commitFault, Json result) throws Exception {
        FencingToken fence = running();
        ExecutionOutcome outcome = new ExecutionOutcome.ExecutionCompleted(result);

        Optional<ExecutionState> repeated =
                faults().repeatAfter(commitFault, () -> journal().finish(fence, outcome, FIRST));

        assertThat(repeated.isPresent()).isEqualTo(commitFault == CommitFault.NOT_COMMITTED);
        assertStored(fence, ExecutionState.COMPLETED, FIRST);
        assertThat(found(fence).result()).contains(result);
    }

    @ParameterizedTest
    @EnumSource
    void grownEndCutsTheStoredPrefix(CommitFault commitFault) throws Exception {
        FencingToken fence = running();
        faults().loseAnswer(commitFault, () -> journal().append(fence, FIRST));

        assertThat(faults().repeat(() -> journal().finish(fence, DONE, GROWN))).contains(ExecutionState.COMPLETED);

        assertStored(fence, ExecutionState.COMPLETED, GROWN);
        assertThat(found(fence).result()).contains(new Json("{\"a\":1}"));
    }

    @ParameterizedTest
    @EnumSource
    void grownEndAfterACancelRequestCutsTheStoredPrefix(CommitFault commitFault) throws Exception {
        FencingToken fence = running();
        store().cancel(TENANT, fence.id());
        faults().loseAnswer(commitFault, () -> journal().append(fence, FIRST));

        assertThat(faults().repeat(() -> journal().release(fence, withState(GROWN, ExecutionState.PENDING))))
                .isEqualTo(ReleaseResult.CANCEL_REQUESTED);
        assertThat(journal().finish(fence, DONE, GROWN)).contains(ExecutionState.CANCELLED);

        assertStored(fence, ExecutionState.CANCELLED, GROWN, true);
    }

    @ParameterizedTest
    @EnumSource
    void cancelRequestIsHonouredOnce(CommitFault commitFault) throws Exception {
        FencingToken fence = running();
        store().cancel(TENANT, fence.id());

        Optional<ExecutionState> repeated =
                faults().repeatAfter(commitFault, () -> journal().finish(fence, DONE, FIRST));

        assertThat(repeated.isPresent()).isEqualTo(commitFault == CommitFault.NOT_COMMITTED);
        assertStored(fence, ExecutionState.CANCELLED, FIRST, true);
    }

    @ParameterizedTest
    @EnumSource
    void scriptIsSavedOnce(CommitFault commitFault) throws Exception {
        FencingToken fence = running(anExecution().cacheOptions(CacheOptions.NONE.withSaveAs(Optional.of("fees"))));
        ExecutionOutcome saved = new ExecutionOutcome.ExecutionCompleted(Json.NULL, Optional.of("fees"));

        Optional<ExecutionState> repeated =
                faults().repeatAfter(commitFault, () -> journal().finish(fence, saved, FIRST));

        assertThat(repeated.isPresent()).isEqualTo(commitFault == CommitFault.NOT_COMMITTED);
        assertStored(fence, ExecutionState.COMPLETED, FIRST);
        assertThat(scripts().list(TENANT, "", "", 10))
                .singleElement()
                .satisfies(script -> assertThat(script.lastRun()).isEqualTo(fence.id()));
    }

    @ParameterizedTest
    @EnumSource
    void failedExecutionIsFollowedByOneAttempt(CommitFault commitFault) throws Exception {
        RetryPolicy twice = new RetryPolicy(2, HOUR, HOUR, RetryPolicy.defaultCodes(), true);
        FencingToken fence = running(anExecution().admission(AdmissionConstraints.NONE.withRetry(Optional.of(twice))));
        ExecutionOutcome failed =
                new ExecutionOutcome.ExecutionFailed(ExecutionError.of(ErrorCode.INTERNAL_ERROR, "broken"));

        Optional<ExecutionState> repeated =
                faults().repeatAfter(commitFault, () -> journal().finish(fence, failed, FIRST));

        assertThat(repeated.isPresent()).isEqualTo(commitFault == CommitFault.NOT_COMMITTED);
        assertStored(fence, ExecutionState.FAILED, FIRST);
        assertThat(store().list(TENANT, new ExecutionFilter(Set.of()), Optional.empty(), 10)
                        .items())
                .as("the failed execution and its next attempt")
                .hasSize(2);
    }

    @Test
    void entriesThatDoNotContainTheStoredOnesAreRefused() {
        FencingToken fence = running();
        assertThat(journal().append(fence, FIRST)).isTrue();
        List<OutputChunk> otherPieces = List.of(piece(OutputKind.OUT, 0, "abX", 0), piece(OutputKind.ERR, 0, "c", 3));
        List<OutputChunk> otherOrder = List.of(
                piece(OutputKind.OUT, 0, "ab", 0), piece(OutputKind.OUT, 2, "X", 2), piece(OutputKind.ERR, 0, "c", 3));
        List<OutputChunk> lessOutput = List.of(piece(OutputKind.OUT, 0, "a", 0));
        List<OutputChunk> gap = List.of(piece(OutputKind.OUT, 3, "X", 4));
        for (JournalBatch wrong : List.of(
                new JournalBatch(GROWN.events(), otherPieces, false),
                new JournalBatch(GROWN.events(), otherOrder, false),
                new JournalBatch(GROWN.events(), lessOutput, false),
                new JournalBatch(GROWN.events(), gap, false),
                new JournalBatch(List.of(started(1)), List.of(), false))) {
            assertThatThrownBy(() -> journal().append(fence, wrong)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> journal().release(fence, wrong)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> journal().finish(fence, DONE, wrong)).isInstanceOf(IllegalArgumentException.class);
            suspendRequests()
                    .forEach(parking -> assertThatThrownBy(() -> journal().park(fence, wrong, parking))
                            .isInstanceOf(IllegalArgumentException.class));
        }
        assertStored(fence, ExecutionState.RUNNING, FIRST);
    }

    @Test
    void writerOfAnEarlierAttemptCutsNothing() throws Exception {
        FencingToken fence = running();
        faults().loseAnswer(CommitFault.ANSWER_LOST, () -> journal().append(fence, FIRST));
        assertThat(store().requeue(fence)).isTrue();
        assertThat(store().claim(fence.id(), "node.2")).isPresent();
        List<TraceEvent> stored = journal().readEntries(fence.id(), 0, 1_000);

        assertThat(journal().append(fence, GROWN)).isFalse();
        assertThat(journal().release(fence, GROWN)).isEqualTo(ReleaseResult.LOST);
        assertThat(journal().finish(fence, DONE, GROWN)).isEmpty();
        assertThat(journal().findPosition(fence.id()))
                .map(StoredPosition::attempt)
                .contains(2);
        assertThat(journal().readEntries(fence.id(), 0, 1_000)).isEqualTo(stored);
    }

    @ParameterizedTest
    @EnumSource(names = {"ANSWER_LOST", "NOT_COMMITTED"})
    void everyMemberOfAGroupWithoutAnAnswerRepeats(CommitFault commitFault) throws Exception {
        List<FencingToken> fences =
                Stream.generate(this::running).limit(WRITERS).toList();
        faults().failCommit(commitFault, 2);

        assertThat(ConcurrencyTestUtil.runConcurrently(WRITERS, n -> appendRepeatedly(fences.get(n))))
                .containsOnly(true);

        fences.forEach(fence -> assertStored(fence, ExecutionState.RUNNING, FIRST));
    }

    private boolean appendRepeatedly(FencingToken fence) {
        try {
            return journal().append(fence, FIRST);
        } catch (StoreUnavailableException e) {
            return journal().append(fence, FIRST);
        }
    }
}
