package org.sallyport.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptCount;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptKind;
import org.sallyport.execution.CancelResult;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.execution.Suspension;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/** Contract of {@link Journal}, for every implementation. */
public abstract class JournalContract {
    private static final String TENANT = "tenant-a";
    /** In an hour that occurs twice in Berlin, with microsecond precision. */
    private static final Instant AT = Instant.parse("2026-10-25T01:30:00.123456Z");

    private static final ToolName ECHO = new ToolName("demo", "echo");
    private static final ExecutionOutcome DONE = new ExecutionOutcome.ExecutionCompleted(new Json("{\"a\":1}"));
    private static final SuspendRequest UNTIL_TIMER =
            SuspendRequest.until(Suspension.SuspensionReason.TIMER, Duration.ofHours(1));

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private FencingToken running() {
        NewExecution execution = anExecution().build();
        store().insert(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence();
    }

    private Execution found(FencingToken fence) {
        return store().find(TENANT, fence.id()).orElseThrow();
    }

    private static TraceEvent started(long seq) {
        return new TraceEvent.ToolStarted(seq, AT, seq, ECHO, new Json("[1]"));
    }

    private static JournalBatch events(TraceEvent... events) {
        return new JournalBatch(List.of(events), List.of(), false);
    }

    private static JournalBatch output(OutputChunk... chunks) {
        return output(0, chunks);
    }

    private static JournalBatch output(long otherLength, OutputChunk... chunks) {
        return new JournalBatch(List.of(), inOrder(otherLength, chunks), false);
    }

    private static List<OutputChunk> inOrder(OutputChunk... chunks) {
        return inOrder(0, chunks);
    }

    /**
     * Gives the pieces the sequence in which they are listed.
     *
     * @param otherLength stored length of the stream to which the first piece does not belong
     */
    private static List<OutputChunk> inOrder(long otherLength, OutputChunk... chunks) {
        List<OutputChunk> pieces = new ArrayList<>();
        long sequence = chunks.length == 0 ? 0 : chunks[0].offset() + otherLength;
        for (OutputChunk chunk : chunks) {
            pieces.add(new OutputChunk(chunk.kind(), chunk.offset(), chunk.text(), sequence, AT));
            sequence += chunk.text().length();
        }
        return pieces;
    }

    private static OutputChunk out(long offset, String text) {
        return new OutputChunk(OutputKind.OUT, offset, text, 0, AT);
    }

    private static OutputChunk err(long offset, String text) {
        return new OutputChunk(OutputKind.ERR, offset, text, 0, AT);
    }

    @Test
    void parkedExecutionIsResumedOnceAndParkedTimeDoesNotCount() throws Exception {
        FencingToken fence = running();
        assertThat(journal()
                        .park(
                                fence,
                                new JournalBatch(List.of(started(1)), List.of(), false),
                                SuspendRequest.until(Suspension.SuspensionReason.TIMER, Duration.ofMillis(300))))
                .isEqualTo(SuspendRequest.SuspendResult.PARKED);
        assertThat(journal().append(fence, JournalBatch.NONE)).isFalse();
        Execution parked = store().find(TENANT, fence.id()).orElseThrow();
        assertThat(parked.state()).isEqualTo(ExecutionState.WAITING);
        assertThat(parked.suspension()).hasValueSatisfying(pause -> {
            assertThat(pause.reason()).isEqualTo("timer");
            assertThat(Duration.between(pause.since(), pause.until())).isEqualTo(Duration.ofMillis(300));
        });
        assertThat(store().claim(fence.id(), "n.2")).isEmpty();
        assertThat(store().timeToNextResume(Duration.ofMinutes(1)))
                .hasValueSatisfying(wait -> assertThat(wait).isBetween(Duration.ZERO, Duration.ofMillis(300)));
        long end = System.nanoTime() + 60_000_000_000L;
        List<ExecutionJob> woken = List.of();
        while (woken.isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(end);
            woken = store().resumeDue(10, Duration.ofHours(1));
        }
        assertThat(woken).containsExactly(new ExecutionJob(fence.id(), TENANT, 4, fence.attempt()));
        assertThat(store().resumeDue(10, Duration.ZERO)).isEmpty();
        assertThat(store().overdueJobs(Duration.ZERO, 10))
                .as("somebody has its job")
                .extracting(ExecutionJob::id)
                .doesNotContain(fence.id());
        assertThat(store().timeToNextResume(Duration.ofMinutes(1))).isEmpty();
        assertThat(store().find(TENANT, fence.id()).orElseThrow().suspension()).isEmpty();
        ClaimedExecution resumed = store().claim(fence.id(), "n.2").orElseThrow();
        assertThat(resumed.fence().attempt()).isEqualTo(fence.attempt() + 1);
        // While it was not parked, less than the 300 ms passed.
        assertThat(resumed.remainingMillis()).isGreaterThan(resumed.limits().wallMillis() - 5_000);
        assertThat(journal().readEntries(fence.id(), 0, 1_000)).hasSize(2);
    }

    @Test
    void replayLogIsNotPartOfTheTrace() {
        FencingToken fence = running();
        TraceEvent.ReplayLogRecorded heard =
                new TraceEvent.ReplayLogRecorded(2, started(1).at(), "17*3 t1@0 ");
        assertThat(journal().append(fence, new JournalBatch(List.of(started(1), heard), List.of(), false)))
                .isTrue();
        assertThat(journal().readTrace(fence.id(), 0, 10)).containsExactly(started(1));
        assertThat(journal().readEntries(fence.id(), 0, 1_000)).containsExactly(started(1), heard);
    }

    @Test
    void everyKindOfEventRoundTrips() {
        FencingToken fence = running();
        ToolName nameless = new ToolName("b", "");
        String wild = "\u0000\uD800\u001A\uD83D\uDE00";
        List<TraceEvent> written = List.of(
                new TraceEvent.StateChanged(1, AT, ExecutionState.RUNNING, 1),
                new TraceEvent.ToolStarted(2, AT, 1, new ToolName("b", wild), new Json("{\"x\":\"\u2028\"}")),
                new TraceEvent.ToolEnded(
                        3, AT, 1, new ToolName("b", wild), 12, 3, Optional.of(new Json("null")), Optional.empty()),
                new TraceEvent.ToolEnded(
                        4,
                        AT,
                        2,
                        ECHO,
                        0,
                        0,
                        Optional.empty(),
                        Optional.of(new ToolError(ToolErrorCode.TIMEOUT, wild, Optional.of(new Json("{}"))))),
                new TraceEvent.ToolEnded(
                        5, AT, 3, ECHO, 0, 0, Optional.empty(), Optional.of(new ToolError(ToolErrorCode.DENIED, ""))),
                new TraceEvent.ToolStarted(6, AT, 4, nameless, Json.NULL),
                new TraceEvent.ToolStarted(7, AT, 5, new ToolName("", "x.y"), Json.NULL),
                new TraceEvent.ToolStarted(8, AT, 6, ECHO, Json.NULL, true),
                new TraceEvent.ToolEnded(9, AT, 6, ECHO, 1, 0, Optional.of(Json.NULL), Optional.empty())
                        .asReplayed(9, AT),
                new TraceEvent.ToolEnded(10, AT, 7, ECHO, 1, 0, Optional.of(Json.NULL), Optional.empty(), false, 3),
                new TraceEvent.ToolEnded(11, AT, 8, ECHO, 1, 0, Optional.of(Json.NULL), Optional.empty(), true, 0),
                served(12, new ConnectorReport(0, Optional.empty())),
                served(13, new ConnectorReport(Integer.MAX_VALUE + 1L, Optional.of("Node-1"))));
        assertThat(journal().append(fence, new JournalBatch(written, List.of(), false)))
                .isTrue();
        assertThat(journal().readTrace(fence.id(), 0, 100)).isEqualTo(written);
        assertThat(journal().readTrace(fence.id(), 2, 2)).isEqualTo(written.subList(2, 4));
        assertThat(journal().readTrace(fence.id(), 13, 2)).isEmpty();
        assertThat(journal().readTrace(new ExecutionId(UUID.randomUUID()), 0, 2))
                .isEmpty();
    }

    private static TraceEvent.ToolEnded served(long seq, ConnectorReport served) {
        return new TraceEvent.ToolEnded(
                seq, AT, 9, ECHO, 1, 0, Optional.of(Json.NULL), Optional.empty(), false, 1, Optional.of(served));
    }

    private static JournalBatch attempts(List<TraceEvent> events, BlockedAttemptCount... counts) {
        return new JournalBatch(
                events, List.of(), false, Optional.empty(), Optional.of(new BlockedAttempts(List.of(counts))));
    }

    private static BlockedAttemptCount attempt(BlockedAttemptKind kind, String name, long count) {
        return new BlockedAttemptCount(kind, name, count);
    }

    @Test
    void blockedAttemptsAreReplacedByEachWriteAndSeenByTheNextRun() {
        FencingToken fence = running();
        assertThat(found(fence).blockedAttempts()).isEqualTo(BlockedAttempts.NONE);
        BlockedAttemptCount refused = attempt(BlockedAttemptKind.TOOL, "mail.send", 1);
        assertThat(journal().append(fence, attempts(List.of(started(1)), refused)))
                .isTrue();
        assertThat(found(fence).blockedAttempts().counts()).containsExactly(refused);
        assertThat(journal().append(fence, events(started(2)))).isTrue();
        assertThat(found(fence).blockedAttempts().counts()).containsExactly(refused);

        BlockedAttemptCount odd = attempt(BlockedAttemptKind.GLOBAL, "Deno.\u0000\uD800\"", 1_000_000_000);
        BlockedAttemptCount further = attempt(BlockedAttemptKind.MODULE, "", 7);
        TraceEvent pending = new TraceEvent.StateChanged(3, AT, ExecutionState.PENDING, 1);
        assertThat(journal().release(fence, attempts(List.of(pending), refused, odd, further)))
                .isEqualTo(ReleaseResult.RELEASED);
        ClaimedExecution next = store().claim(fence.id(), "node.2").orElseThrow();
        assertThat(next.blockedAttempts().counts()).containsExactly(refused, odd, further);

        BlockedAttemptCount more = attempt(BlockedAttemptKind.TOOL, "mail.send", 2);
        assertThat(journal().finish(fence, DONE, attempts(List.of(), more)))
                .as("a run that lost the execution writes nothing")
                .isEmpty();
        assertThat(found(fence).blockedAttempts().counts()).containsExactly(refused, odd, further);
        assertThat(journal().finish(next.fence(), DONE, attempts(List.of(), more)))
                .contains(ExecutionState.COMPLETED);
        assertThat(found(fence).blockedAttempts().counts()).containsExactly(more);
        assertThat(found(fence).blockedAttempts().total()).isEqualTo(2);
    }

    @Test
    void bytesOfTheJournalAreCountedWithEachWrite() {
        FencingToken fence = running();
        assertThat(store().findClaim(fence.id(), "node.1").orElseThrow().journalBytes())
                .isZero();
        assertThat(journal().append(fence, events(started(1)))).isTrue();
        assertThat(journal().append(fence, events(started(1), started(2))))
                .as("entries that are stored already are counted once")
                .isTrue();
        TraceEvent pending = new TraceEvent.StateChanged(3, AT, ExecutionState.PENDING, 1);
        assertThat(journal().release(fence, events(pending))).isEqualTo(ReleaseResult.RELEASED);
        ClaimedExecution second = store().claim(fence.id(), "node.2").orElseThrow();
        assertThat(second.journalBytes()).isEqualTo(JournalSize.ofEntries(List.of(started(1), started(2), pending)));

        TraceEvent waiting = new TraceEvent.StateChanged(4, AT, ExecutionState.WAITING, 2);
        assertThat(journal().park(second.fence(), events(waiting), UNTIL_TIMER))
                .isEqualTo(SuspendRequest.SuspendResult.PARKED);
        assertThat(store().resumeDue(second.fence(), Duration.ofMinutes(1))).isTrue();
        assertThat(store().claim(fence.id(), "node.3").orElseThrow().journalBytes())
                .isEqualTo(JournalSize.ofEntries(List.of(started(1), started(2), pending, waiting)));
    }

    @Test
    void entriesIncludeTheReplayLogAndTheTraceDoesNot() {
        FencingToken fence = running();
        TraceEvent heard = new TraceEvent.ReplayLogRecorded(2, AT, "17*3 ");
        assertThat(journal().append(fence, events(started(1), heard, started(3))))
                .isTrue();
        assertThat(journal().readEntries(fence.id(), 0, 100)).containsExactly(started(1), heard, started(3));
        assertThat(journal().readEntries(fence.id(), 1, 1)).containsExactly(heard);
        assertThat(journal().readTrace(fence.id(), 0, 100)).containsExactly(started(1), started(3));
    }

    /** A page has at least one event, so that every event can be read. */
    @Test
    void pageEndsAtItsSize() {
        FencingToken fence = running();
        List<TraceEvent> written = new ArrayList<>();
        for (long seq = 1; seq <= 4; seq++) {
            written.add(largeCall(seq, 400_000));
        }
        written.add(new TraceEvent.ReplayLogRecorded(5, AT, "1".repeat(1_000_000)));
        written.add(largeReply(6, 1_200_000));
        written.add(started(7));
        assertThat(journal().append(fence, new JournalBatch(written, List.of(), false)))
                .isTrue();

        assertThat(journal().readEntries(fence.id(), 0, 100)).isEqualTo(written.subList(0, 2));
        assertThat(journal().readEntries(fence.id(), 0, 1)).isEqualTo(written.subList(0, 1));
        assertThat(journal().readEntries(fence.id(), 3, 100)).isEqualTo(written.subList(3, 4));
        assertThat(journal().readEntries(fence.id(), 4, 100)).isEqualTo(written.subList(4, 5));
        assertThat(journal().readEntries(fence.id(), 5, 100)).isEqualTo(written.subList(5, 6));
        assertThat(journal().readTrace(fence.id(), 2, 100)).isEqualTo(written.subList(2, 4));
        assertThat(journal().readTrace(fence.id(), 4, 100)).isEqualTo(written.subList(5, 6));
        assertThat(journal().readTrace(fence.id(), 6, 100)).containsExactly(started(7));
        assertThat(journal().readTrace(fence.id(), 7, 100)).isEmpty();
    }

    private static TraceEvent largeCall(long seq, int chars) {
        return new TraceEvent.ToolStarted(seq, AT, seq, ECHO, text(chars));
    }

    private static TraceEvent largeReply(long seq, int chars) {
        return new TraceEvent.ToolEnded(seq, AT, 1, ECHO, 1, 0, Optional.of(text(chars)), Optional.empty());
    }

    private static Json text(int chars) {
        return new Json("\"" + "x".repeat(chars) + "\"");
    }

    @Test
    void lastStartedCallIsFound() {
        FencingToken fence = running();
        assertThat(journal().findLastCall(fence.id())).isZero();
        TraceEvent ended = new TraceEvent.ToolEnded(4, AT, 7, ECHO, 1, 0, Optional.of(Json.NULL), Optional.empty());
        TraceEvent first = new TraceEvent.ToolStarted(3, AT, 12, ECHO, Json.NULL);
        assertThat(journal().append(fence, events(started(1), started(2), first, ended)))
                .isTrue();
        assertThat(journal().findLastCall(fence.id())).isEqualTo(12);
        assertThat(journal().findLastCall(new ExecutionId(UUID.randomUUID()))).isZero();
    }

    @Test
    void finishStoresResultAndEntriesAndClosesTheTrace() {
        FencingToken fence = running();
        assertThat(journal().append(fence, events(started(1)))).isTrue();
        JournalBatch last = new JournalBatch(List.of(started(2)), inOrder(out(0, "hello"), err(0, "oops")), true);
        assertThat(journal().finish(fence, DONE, last)).contains(ExecutionState.COMPLETED);
        Execution found = found(fence);
        assertThat(found.state()).isEqualTo(ExecutionState.COMPLETED);
        assertThat(found.result()).contains(new Json("{\"a\":1}"));
        assertThat(found.error()).isEmpty();
        assertThat(found.outputLength()).isEqualTo(5);
        assertThat(found.errorOutputLength()).isEqualTo(4);
        assertThat(found.truncated()).isTrue();
        List<TraceEvent> trace = journal().readTrace(fence.id(), 0, 100);
        assertThat(trace).hasSize(3).startsWith(started(1), started(2));
        Instant finished = found.summary().finishedAt().orElseThrow();
        assertThat(trace.get(2)).isEqualTo(new TraceEvent.StateChanged(3, finished, ExecutionState.COMPLETED, 1));
        assertThat(store().readOutput(fence.id(), OutputKind.ERR, 0, 100)).isEqualTo("oops");
    }

    @Test
    void failureAndTimeoutStoreTheirError() {
        FencingToken fence = running();
        ExecutionError error = new ExecutionError(
                "tool-failed",
                org.sallyport.execution.ErrorOrigin.TOOL,
                "no\u0000\uD800",
                3,
                14,
                "at main:3:14",
                Optional.of("demo.fail"),
                2);
        assertThat(journal().finish(fence, new ExecutionOutcome.ExecutionFailed(error), JournalBatch.NONE))
                .contains(ExecutionState.FAILED);
        assertThat(found(fence).error()).contains(error);
        assertThat(found(fence).summary().errorCode()).contains("tool-failed");
        FencingToken late = running();
        ExecutionError timeout = ExecutionError.of(ErrorCode.WALL_CLOCK_LIMIT, "late");
        assertThat(journal().finish(late, new ExecutionOutcome.ExecutionTimedOut(timeout), JournalBatch.NONE))
                .contains(ExecutionState.TIMED_OUT);
        assertThat(found(late).error()).contains(timeout);
    }

    @Test
    void outputIsReadFromAnyOffsetWithoutSplittingSurrogatePairs() {
        FencingToken fence = running();
        String text = "ab\uD83D\uDE00cd\u0000e\uD800f";
        journal().append(fence, output(out(0, text.substring(0, 3)), err(0, "E")));
        journal().append(fence, output(1, out(3, text.substring(3, 5)), out(5, ""), out(5, text.substring(5, 7))));
        journal().append(fence, output(7, err(1, "F"), out(7, text.substring(7))));
        for (int offset = 0; offset <= text.length(); offset++) {
            for (int limit = 1; limit <= text.length() + 1; limit++) {
                int end = Math.min(text.length(), offset + limit);
                if (end < text.length() && Character.isSurrogatePair(text.charAt(end - 1), text.charAt(end))) {
                    end--;
                }
                assertThat(store().readOutput(fence.id(), OutputKind.OUT, offset, limit))
                        .isEqualTo(text.substring(offset, Math.max(offset, end)));
            }
        }
        assertThat(store().readOutput(fence.id(), OutputKind.ERR, 0, 10)).isEqualTo("EF");
        assertThat(store().readOutput(fence.id(), OutputKind.OUT, 1_000, 10)).isEmpty();
        assertThat(store().readOutput(fence.id(), OutputKind.OUT, 0, Integer.MAX_VALUE))
                .isEqualTo(text);
        assertThat(found(fence).outputLength()).isEqualTo(text.length());
        assertThat(found(fence).errorOutputLength()).isEqualTo(2);
    }

    /** Text of random length for random streams, written in batches. */
    private List<OutputChunk> storeRandomOutput(FencingToken fence, Random random) {
        String alphabet = "ab\n\u0000\uD800\uD83D\uDE00";
        List<OutputChunk> all = new ArrayList<>();
        long[] ends = new long[2];
        long millis = 1_700_000_000_000L;
        for (int batch = 0; batch < 8; batch++) {
            List<OutputChunk> pieces = new ArrayList<>();
            for (int i = random.nextInt(12); i > 0; i--) {
                int stream = random.nextInt(2);
                StringBuilder text = new StringBuilder();
                for (int length = 1 + random.nextInt(5); length > 0; length--) {
                    text.append(alphabet.charAt(random.nextInt(alphabet.length())));
                }
                millis += random.nextInt(3) == 0 ? random.nextInt(100_000) : 0;
                pieces.add(new OutputChunk(
                        OutputKind.values()[stream],
                        ends[stream],
                        text.toString(),
                        ends[0] + ends[1],
                        Instant.ofEpochMilli(millis)));
                ends[stream] += text.length();
            }
            assertThat(journal().append(fence, new JournalBatch(List.of(), pieces, false)))
                    .isTrue();
            all.addAll(pieces);
        }
        return all;
    }

    @Test
    void outputIsReadInTheOrderOfWritingFromAnyPosition() {
        Random random = new Random(7);
        for (int round = 0; round < 5; round++) {
            FencingToken fence = running();
            List<OutputChunk> all = storeRandomOutput(fence, random);
            assertThat(store().readOutputInOrder(fence.id(), 0, 0, 1_000_000)).isEqualTo(all);
            long out = found(fence).outputLength();
            long err = found(fence).errorOutputLength();
            for (int i = 0; i < 20; i++) {
                long outOffset = random.nextInt((int) out + 2);
                long errOffset = i == 0 ? Long.MAX_VALUE : random.nextInt((int) err + 2);
                assertThat(store().readOutputInOrder(fence.id(), outOffset, errOffset, 1_000_000))
                        .isEqualTo(behind(all, outOffset, errOffset));
            }
            assertThat(readInPages(fence, 2 + random.nextInt(9))).isEqualTo(textByCharacter(all));
        }
    }

    private static List<OutputChunk> behind(List<OutputChunk> all, long outOffset, long errOffset) {
        List<OutputChunk> expected = new ArrayList<>();
        for (OutputChunk piece : all) {
            long offset = piece.kind() == OutputKind.OUT ? outOffset : errOffset;
            if (piece.end() > offset) {
                int start = (int) Math.max(0, offset - piece.offset());
                expected.add(piece.slice(start, piece.text().length()));
            }
        }
        return expected;
    }

    private List<String> readInPages(FencingToken fence, int limit) {
        List<OutputChunk> read = new ArrayList<>();
        long[] ends = new long[2];
        List<OutputChunk> page = store().readOutputInOrder(fence.id(), 0, 0, limit);
        while (!page.isEmpty()) {
            assertThat(page.stream().mapToInt(piece -> piece.text().length()).sum())
                    .isLessThanOrEqualTo(limit);
            for (OutputChunk piece : page) {
                read.add(piece);
                ends[piece.kind().ordinal()] = piece.end();
            }
            page = store().readOutputInOrder(fence.id(), ends[0], ends[1], limit);
        }
        return textByCharacter(read);
    }

    /** Each character with its stream, sequence and time. */
    private static List<String> textByCharacter(List<OutputChunk> pieces) {
        List<String> characters = new ArrayList<>();
        for (OutputChunk piece : pieces) {
            for (int i = 0; i < piece.text().length(); i++) {
                characters.add(piece.kind() + " " + (piece.sequence() + i) + " " + piece.at() + " "
                        + (int) piece.text().charAt(i));
            }
        }
        return characters;
    }

    @Test
    void outputWithAGapInItsOrderIsRefused() {
        FencingToken fence = running();
        JournalBatch gap = new JournalBatch(
                List.of(),
                List.of(new OutputChunk(OutputKind.OUT, 0, "a", 0, AT), new OutputChunk(OutputKind.ERR, 0, "b", 2, AT)),
                false);
        assertThatThrownBy(() -> journal().append(fence, gap)).isInstanceOf(IllegalArgumentException.class);
        assertThat(store().readOutputInOrder(fence.id(), 0, 0, 10)).isEmpty();
    }

    @Test
    void outputThatDoesNotFollowBothStreamsIsRefused() {
        FencingToken fence = running();
        assertThat(journal().append(fence, output(out(0, "ab"), err(0, "c")))).isTrue();
        List<OutputChunk> stored = store().readOutputInOrder(fence.id(), 0, 0, 10);

        for (long otherLength : new long[] {-3, 0, 2}) {
            assertThatThrownBy(() -> journal().append(fence, output(otherLength, out(2, "d"))))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> journal().append(fence, output(otherLength, out(2, "d"), err(1, "e"))))
                    .isInstanceOf(IllegalArgumentException.class);
        }

        assertThat(store().readOutputInOrder(fence.id(), 0, 0, 10)).isEqualTo(stored);
        JournalBatch next = output(1, out(2, "d"));
        assertThat(journal().append(fence, next)).isTrue();
        assertThat(journal().append(fence, next)).as("the answer was lost").isTrue();
        assertThat(found(fence).outputLength()).isEqualTo(3);
    }

    @Test
    void largeOutputIsStoredExactly() {
        FencingToken fence = running();
        String line = "\uD83D\uDE00".repeat(100_000);
        assertThat(journal().append(fence, output(out(0, line)))).isTrue();
        assertThat(store().readOutput(fence.id(), OutputKind.OUT, 0, 1_000_000)).isEqualTo(line);
    }

    @Test
    void sequenceGapIsRefusedWithoutWriting() {
        FencingToken fence = running();
        journal().append(fence, events(started(1)));
        assertThatThrownBy(() -> journal().append(fence, events(started(2), started(4))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> journal().append(fence, output(out(1, "x"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> journal().append(fence, output(out(0, "x"), out(2, "y"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> journal().finish(fence, DONE, output(out(1, "x"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(found(fence).state()).isEqualTo(ExecutionState.RUNNING);
        assertThat(found(fence).outputLength()).isZero();
        assertThat(journal().readTrace(fence.id(), 0, 10)).containsExactly(started(1));
    }

    @Test
    void writerThatHasStoredMoreThanTheStoreHoldsHasLostTheExecution() {
        FencingToken fence = running();
        journal().append(fence, events(started(1)));
        JournalBatch later = events(started(3));

        assertThat(journal().append(fence, later)).isFalse();
        assertThat(journal().release(fence, later)).isEqualTo(ReleaseResult.LOST);
        assertThat(journal().park(fence, later, UNTIL_TIMER)).isEqualTo(SuspendRequest.SuspendResult.LOST);
        assertThat(journal().finish(fence, DONE, later)).isEmpty();

        assertThat(found(fence).state()).isEqualTo(ExecutionState.RUNNING);
        assertThat(journal().readTrace(fence.id(), 0, 10)).containsExactly(started(1));
    }

    @Test
    void repeatedAppendDoesNotDuplicateEntries() {
        FencingToken fence = running();
        JournalBatch entries = new JournalBatch(List.of(started(1), started(2)), List.of(out(0, "abc")), false);
        assertThat(journal().append(fence, entries)).isTrue();
        assertThat(journal().append(fence, entries)).isTrue();
        assertThat(journal().readTrace(fence.id(), 0, 10)).hasSize(2);
        assertThat(found(fence).outputLength()).isEqualTo(3);
        assertThat(journal().append(fence, events(started(3)))).isTrue();
    }

    @Test
    void staleFenceCannotWrite() {
        FencingToken fence = running();
        for (FencingToken stale : List.of(
                new FencingToken(fence.id(), 0),
                new FencingToken(fence.id(), 2),
                new FencingToken(new ExecutionId(UUID.randomUUID()), 1))) {
            assertThat(journal().append(stale, events(started(1)))).isFalse();
            assertThat(journal().finish(stale, DONE, events(started(1)))).isEmpty();
        }
        NewExecution pending = anExecution().build();
        store().insert(pending);
        assertThat(journal().append(new FencingToken(pending.id(), 0), events(started(1))))
                .isFalse();
        assertThat(journal().finish(new FencingToken(pending.id(), 0), DONE, JournalBatch.NONE))
                .isEmpty();
        assertThat(journal().readTrace(fence.id(), 0, 10)).isEmpty();
        assertThat(found(fence).state()).isEqualTo(ExecutionState.RUNNING);
    }

    @Test
    void terminalExecutionAcceptsNoEntries() {
        FencingToken fence = running();
        journal().finish(fence, DONE, JournalBatch.NONE);
        Execution ended = found(fence);
        assertThat(journal().append(fence, events(started(2)))).isFalse();
        assertThat(journal().finish(fence, new ExecutionOutcome.ExecutionCancelled(), events(started(2))))
                .isEmpty();
        assertThat(journal().readTrace(fence.id(), 0, 10)).hasSize(1);
        assertThat(found(fence)).isEqualTo(ended);
    }

    @Test
    void earlierCancelWinsOverCompletion() {
        FencingToken fence = running();
        store().cancel(TENANT, fence.id());
        JournalBatch last = new JournalBatch(List.of(started(1)), List.of(out(0, "kept")), false);
        assertThat(journal().finish(fence, DONE, last)).contains(ExecutionState.CANCELLED);
        Execution found = found(fence);
        assertThat(found.state()).isEqualTo(ExecutionState.CANCELLED);
        assertThat(found.result()).isEmpty();
        assertThat(found.outputLength()).isEqualTo(4);
        assertThat(journal().readTrace(fence.id(), 0, 10)).hasSize(2);
    }

    @Test
    void earlierCancelWinsOverFailureAndTimeout() {
        ExecutionError error = ExecutionError.of(ErrorCode.SCRIPT_ERROR, "thrown");
        for (ExecutionOutcome outcome :
                List.of(new ExecutionOutcome.ExecutionFailed(error), new ExecutionOutcome.ExecutionTimedOut(error))) {
            FencingToken fence = running();
            store().cancel(TENANT, fence.id());
            assertThat(journal().finish(fence, outcome, JournalBatch.NONE)).contains(ExecutionState.CANCELLED);
            assertThat(found(fence).state()).isEqualTo(ExecutionState.CANCELLED);
            assertThat(found(fence).error()).isEmpty();
        }
    }

    @Test
    void concurrentFinishAndCancelAgreeOnOneEnd() throws Exception {
        for (int round = 0; round < 50; round++) {
            FencingToken fence = running();
            List<Object> answers = ConcurrencyTestUtil.runConcurrently(
                    2,
                    n -> n == 0
                            ? journal().finish(fence, DONE, JournalBatch.NONE).orElseThrow()
                            : store().cancel(TENANT, fence.id()));
            ExecutionState state = found(fence).state();
            assertThat(answers.get(0)).isEqualTo(state);
            assertThat(answers.get(1))
                    .isEqualTo(
                            state == ExecutionState.CANCELLED
                                    ? new CancelResult.CancelRequested(false)
                                    : new CancelResult.AlreadyTerminal(ExecutionState.COMPLETED));
        }
    }

    @Test
    void oneOfManyConcurrentFinishesWins() throws Exception {
        for (int round = 0; round < 5; round++) {
            FencingToken fence = running();
            List<Optional<ExecutionState>> ends = ConcurrencyTestUtil.runConcurrently(16, n -> {
                ExecutionOutcome outcome = n % 2 == 0 ? DONE : new ExecutionOutcome.ExecutionCancelled();
                return journal().finish(fence, outcome, events(started(1)));
            });
            assertThat(ends.stream().flatMap(Optional::stream))
                    .containsExactly(found(fence).state());
            assertThat(journal().readTrace(fence.id(), 0, 10)).hasSize(2);
        }
    }

    @Test
    void longTraceHasNoGaps() {
        FencingToken fence = running();
        long seq = 1;
        for (int write = 0; write < 20; write++) {
            List<TraceEvent> events = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                events.add(started(seq++));
            }
            assertThat(journal().append(fence, new JournalBatch(events, List.of(), false)))
                    .isTrue();
        }
        journal().finish(fence, DONE, JournalBatch.NONE);
        List<TraceEvent> trace = journal().readTrace(fence.id(), 0, 10_000);
        assertThat(trace).hasSize(1_001);
        for (int i = 0; i < trace.size(); i++) {
            assertThat(trace.get(i).seq()).isEqualTo(i + 1L);
        }
    }

    @Test
    void emptyAppendChecksTheFence() {
        FencingToken fence = running();
        assertThat(journal().append(fence, JournalBatch.NONE)).isTrue();
        assertThat(journal().append(new FencingToken(fence.id(), 9), JournalBatch.NONE))
                .isFalse();
    }

    @Test
    void releasedExecutionCanBeClaimedAgainWithItsStoredLengths() {
        FencingToken fence = running();
        JournalBatch entries = new JournalBatch(List.of(started(1)), inOrder(out(0, "ab"), err(0, "c")), false);
        assertThat(journal().release(fence, entries)).isEqualTo(ReleaseResult.RELEASED);
        assertThat(found(fence).state()).isEqualTo(ExecutionState.PENDING);
        assertThat(journal().append(fence, events(started(2)))).isFalse();
        var claim = store().claim(fence.id(), "node.2").orElseThrow();
        assertThat(claim.fence().attempt()).isEqualTo(fence.attempt() + 1);
        assertThat(claim.lastSeq()).isEqualTo(1);
        assertThat(claim.outputLength()).isEqualTo(2);
        assertThat(claim.errorOutputLength()).isEqualTo(1);
        assertThat(journal().release(fence, JournalBatch.NONE)).isEqualTo(ReleaseResult.LOST);
    }

    @Test
    void cancelRequestedExecutionIsNeitherReleasedNorParked() {
        FencingToken fence = running();
        store().cancel(TENANT, fence.id());
        assertThat(journal().release(fence, events(started(1)))).isEqualTo(ReleaseResult.CANCEL_REQUESTED);
        assertThat(journal().park(fence, events(started(1)), UNTIL_TIMER))
                .isEqualTo(SuspendRequest.SuspendResult.CANCEL_REQUESTED);
        assertThat(found(fence).state()).isEqualTo(ExecutionState.RUNNING);
        assertThat(journal().readTrace(fence.id(), 0, 10)).isEmpty();
    }

    @Test
    void executionOfAnotherWriterIsNeitherReleasedNorParked() {
        FencingToken fence = running();
        FencingToken stale = new FencingToken(fence.id(), 0);
        assertThat(journal().release(stale, events(started(1)))).isEqualTo(ReleaseResult.LOST);
        assertThat(journal().park(stale, events(started(1)), UNTIL_TIMER)).isEqualTo(SuspendRequest.SuspendResult.LOST);
        store().cancel(TENANT, fence.id());
        assertThat(journal().release(stale, JournalBatch.NONE)).isEqualTo(ReleaseResult.LOST);
        assertThat(journal().park(stale, JournalBatch.NONE, UNTIL_TIMER)).isEqualTo(SuspendRequest.SuspendResult.LOST);
    }

    @Test
    void positionIsThatOfTheLastWrite() {
        FencingToken fence = running();
        assertThat(journal().findPosition(fence.id()))
                .contains(new StoredPosition(ExecutionState.RUNNING, 1, 0, 0, 0, false));
        assertThat(journal().append(fence, new JournalBatch(List.of(started(1), started(2)), List.of(), false)))
                .isTrue();
        assertThat(journal().append(fence, output(out(0, "abc"), err(0, "d")))).isTrue();
        store().cancel(TENANT, fence.id());
        assertThat(journal().findPosition(fence.id()))
                .contains(new StoredPosition(ExecutionState.RUNNING, 1, 2, 3, 1, true));
        assertThat(journal().finish(fence, DONE, JournalBatch.NONE)).contains(ExecutionState.CANCELLED);
        assertThat(journal().findPosition(fence.id()))
                .contains(new StoredPosition(ExecutionState.CANCELLED, 1, 3, 3, 1, true));
        assertThat(journal().findPosition(new ExecutionId(UUID.randomUUID()))).isEmpty();
    }
}
