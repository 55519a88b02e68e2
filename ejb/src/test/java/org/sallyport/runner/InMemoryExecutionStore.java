package org.sallyport.runner;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.CancelResult;
import org.sallyport.execution.CapabilityBinding;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.EraseResult;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionPage;
import org.sallyport.execution.ExecutionProgress;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionVersion;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.InsertResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.OrphanedExecution;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.OwnedRun;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.StoredSubmission;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.JournalSize;
import org.sallyport.journal.StoredPosition;
import org.sallyport.journal.TestTracePages;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.ToolName;

/**
 * In-memory store and journal that can be made to fail. Implements as much of the contract as executions need to run.
 */
final class InMemoryExecutionStore implements ExecutionStore, Journal {
    private final Map<ExecutionId, StoredExecution> rows = new LinkedHashMap<>();
    /** The parent of each nested execution. */
    private final Map<ExecutionId, ExecutionId> parents = new HashMap<>();

    private int treeQueryCount;
    private final AtomicInteger failures = new AtomicInteger();
    private int failedWrites;
    private int lostAnswers;
    private boolean failsToClaim;
    private int writesLeft = Integer.MAX_VALUE;

    /** An execution that is deleted once its position has been read. */
    volatile @Nullable ExecutionId deletedAfterPosition;
    /** Reads of journals fail permanently. */
    volatile boolean unreadable;
    /** Appends fail permanently. */
    volatile boolean unappendable;
    /** Parks and releases fail permanently. */
    volatile boolean unreleasable;
    /** Claims fail permanently. */
    volatile boolean unclaimable;
    /** Writing the end of an execution fails permanently if this returns true. */
    volatile BiPredicate<ExecutionOutcome, JournalBatch> unwritable = (outcome, entries) -> false;

    /** The clock of the store. */
    volatile InstantSource clock = InstantSource.system();

    /** Lease owners whose lease is valid. */
    final Set<String> activeLeases = new HashSet<>();

    static final class StoredExecution {
        final NewExecution execution;
        ExecutionState state = ExecutionState.PENDING;
        int attempt;
        boolean cancelRequested;
        boolean jobSent;
        /**
         * Whether the start time of a delayed execution has come. This store compares no times: the next call of
         * {@code dueStarts} sets it.
         */
        boolean due;

        String node = "";

        @Nullable ExecutionOutcome outcome;
        /** The last suspend request. */
        @Nullable SuspendRequest parking;

        final List<TraceEvent> trace = new ArrayList<>();
        final StringBuilder out = new StringBuilder();
        final StringBuilder err = new StringBuilder();
        final List<OutputChunk> output = new ArrayList<>();

        /** The output in the order in which it was written: each character behind its stream. */
        String outputByCharacter() {
            StringBuilder text = new StringBuilder();
            for (OutputChunk piece : output) {
                piece.text()
                        .chars()
                        .forEach(c -> text.append(piece.kind() == OutputKind.OUT ? 'o' : 'e')
                                .append((char) c));
            }
            return text.toString();
        }

        Optional<ExecutionProgress> progress = Optional.empty();
        BlockedAttempts blockedAttempts = BlockedAttempts.NONE;
        int writes;
        int losses;
        int lossesAlone;
        boolean runsAlone;
        boolean replaysAlone;
        int replayLosses;

        StoredExecution(NewExecution execution) {
            this.execution = execution;
        }

        FencingToken fence() {
            return new FencingToken(execution.id(), attempt);
        }
    }

    /** Simulates the death of the writing node: after {@code n} more writes, nothing is stored. */
    synchronized void crashAfter(int n) {
        writesLeft = n;
    }

    synchronized void stopCrashing() {
        writesLeft = Integer.MAX_VALUE;
    }

    /** The random seed of an execution. A re-run has the seed of its original. */
    private String seed(ExecutionId id) {
        StoredExecution row = rows.get(id);
        return row == null
                ? "seed of " + id
                : row.execution.rerun().map(rerun -> seed(rerun.original())).orElse("seed of " + id);
    }

    private boolean isCrashed() {
        return writesLeft-- <= 0;
    }

    /** The next claim fails as if the database were unavailable. */
    synchronized void failNextClaim() {
        failsToClaim = true;
    }

    /** The next {@code n} writes store nothing and fail in an unexpected way. */
    synchronized void failWrites(int n) {
        failedWrites = n;
    }

    /** The next {@code n} writes take effect and fail as if the database had not answered their commits. */
    synchronized void loseAnswers(int n) {
        lostAnswers = n;
    }

    private void maybeFailWrite() {
        maybeFail();
        if (failedWrites > 0) {
            failedWrites--;
            throw new IllegalStateException("not to be written, as the test says");
        }
    }

    /** Called by a write that has taken effect. */
    private void maybeLoseAnswer() {
        if (lostAnswers > 0) {
            lostAnswers--;
            throw new StoreUnavailableException("no answer, as the test says", new IllegalStateException(), true);
        }
    }

    /** The next {@code n} calls fail as if the database were unavailable. */
    void failNext(int n) {
        failures.set(n);
    }

    synchronized StoredExecution row(ExecutionId id) {
        StoredExecution row = rows.get(id);
        if (row == null) {
            throw new IllegalArgumentException("no row " + id);
        }
        return row;
    }

    /** The only execution. Throws {@link IllegalStateException} if the store does not hold exactly one. */
    synchronized StoredExecution onlyExecution() {
        if (rows.size() != 1) {
            throw new IllegalStateException("not one row but " + rows.size());
        }
        return rows.values().iterator().next();
    }

    private void maybeFail() {
        if (failures.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            throw new StoreUnavailableException("away, as the test says", new IllegalStateException());
        }
    }

    @Override
    public synchronized InsertResult insert(NewExecution execution) {
        maybeFailWrite();
        rows.put(execution.id(), new StoredExecution(execution));
        maybeLoseAnswer();
        return new InsertResult.ExecutionInserted(execution.id());
    }

    @Override
    public Optional<InsertResult> findByIdempotencyKey(String tenant, IdempotencyKey idempotency) {
        return Optional.empty();
    }

    /** The batch of claimed executions that share their reads. */
    volatile BatchId batch = new BatchId(new UUID(0, 1));

    @Override
    public synchronized Optional<ClaimedExecution> claim(ExecutionId id, String node) {
        if (failsToClaim) {
            failsToClaim = false;
            throw new StoreUnavailableException("away, as the test says", new IllegalStateException());
        }
        maybeFailWrite();
        if (unclaimable) {
            throw new IllegalStateException("not to be claimed, as the test says");
        }
        StoredExecution row = rows.get(id);
        if (row == null || row.state != ExecutionState.PENDING || isDelayed(row)) {
            return Optional.empty();
        }
        row.state = ExecutionState.RUNNING;
        row.attempt++;
        row.node = node;
        row.runsAlone = false;
        row.replaysAlone = false;
        maybeLoseAnswer();
        return Optional.of(toClaim(id, row));
    }

    @Override
    public synchronized Optional<ClaimedExecution> findClaim(ExecutionId id, String owner) {
        maybeFail();
        return Optional.ofNullable(rows.get(id))
                .filter(row -> row.state == ExecutionState.RUNNING && row.node.equals(owner))
                .map(row -> toClaim(id, row));
    }

    @Override
    public synchronized List<OwnedRun> findOwnedRuns(String owner) {
        maybeFail();
        return rows.values().stream()
                .filter(row -> row.state == ExecutionState.RUNNING && row.node.equals(owner))
                .map(row -> new OwnedRun(row.fence(), row.execution.durability(), row.cancelRequested))
                .toList();
    }

    private ClaimedExecution toClaim(ExecutionId id, StoredExecution row) {
        NewExecution e = row.execution;
        return new ClaimedExecution(
                new FencingToken(id, row.attempt),
                e.tenant(),
                e.submitter(),
                e.code(),
                e.language(),
                e.args(),
                e.context(),
                e.limits(),
                e.grants(),
                e.debug(),
                e.durability(),
                seed(id),
                e.limits().wallMillis(),
                clock.instant(),
                Instant.EPOCH,
                row.trace.size(),
                row.out.length(),
                row.err.length(),
                JournalSize.ofEntries(row.trace),
                e.rerun(),
                e.effects(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                e.cacheOptions().sharesReads() ? Optional.of(batch) : Optional.empty(),
                e.capability().map(CapabilityBinding::ref),
                Optional.ofNullable(parents.get(id)),
                byDeadline,
                e.admission().concurrencyKey(),
                e.variables(),
                row.blockedAttempts,
                e.capability().flatMap(CapabilityBinding::sandbox),
                row.losses);
    }

    /** Makes {@code child} answer a call of {@code parent} from now on. */
    synchronized void nest(ExecutionId child, ExecutionId parent) {
        parents.put(child, parent);
    }

    /** The tools that the other executions in the nesting tree have called. */
    synchronized List<ToolName> callsInTree(ExecutionId member) {
        maybeFail();
        treeQueryCount++;
        return rows.keySet().stream()
                .filter(id -> !id.equals(member) && root(id).equals(root(member)))
                .flatMap(id -> row(id).trace.stream())
                .filter(TraceEvent.ToolStarted.class::isInstance)
                .map(event -> ((TraceEvent.ToolStarted) event).tool())
                .toList();
    }

    /** Number of calls of {@link #callsInTree}. */
    synchronized int treeQueryCount() {
        return treeQueryCount;
    }

    private ExecutionId root(ExecutionId id) {
        ExecutionId parent = parents.get(id);
        return parent == null ? id : root(parent);
    }

    /** Whether claimed executions end by a deadline of their own. */
    volatile boolean byDeadline;

    @Override
    public List<ExpiredExecution> endPastDeadline(int limit, Predicate<ToolName> changes) {
        return List.of();
    }

    @Override
    public List<ExecutionJob> grantTurns(String tenant, String key) {
        return List.of();
    }

    @Override
    public List<ExecutionJob> grantTurns(int limit) {
        return List.of();
    }

    @Override
    public EraseResult erase(String tenant, ExecutionId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<ExecutionId> findTurnHolders(String tenant, ExecutionId id) {
        throw new UnsupportedOperationException();
    }

    /** Sets a running execution back to pending, as after the death of its node. */
    synchronized void recover(ExecutionId id) {
        row(id).state = ExecutionState.PENDING;
    }

    @Override
    public synchronized CancelResult cancel(
            String tenant, ExecutionId id, CancelRequest request, Predicate<ToolName> changes) {
        maybeFail();
        StoredExecution row = rows.get(id);
        if (row == null) {
            return new CancelResult.CancelTargetNotFound();
        } else if (row.state.isTerminal()) {
            return new CancelResult.AlreadyTerminal(row.state);
        } else if (row.state == ExecutionState.PENDING) {
            row.state = ExecutionState.CANCELLED;
            return new CancelResult.CancelledImmediately(false);
        } else if (row.state == ExecutionState.WAITING) {
            row.state = ExecutionState.CANCELLED;
            return new CancelResult.CancelledImmediately(
                    row.parking != null && row.parking.replyLeaseOwner().isPresent());
        }
        boolean repeated = row.cancelRequested;
        row.cancelRequested = true;
        return new CancelResult.CancelRequested(repeated);
    }

    @Override
    public synchronized boolean append(FencingToken fence, JournalBatch entries) {
        maybeFailWrite();
        if (unappendable) {
            throw new IllegalStateException("not to be appended, as the test says");
        }
        StoredExecution row = row(fence.id());
        if (!isOwner(row, fence) || isCrashed()) {
            return false;
        }
        write(row, entries);
        maybeLoseAnswer();
        return true;
    }

    private static boolean isOwner(StoredExecution row, FencingToken fence) {
        return row.state == ExecutionState.RUNNING && row.attempt == fence.attempt();
    }

    /** Skips entries that are stored already. */
    private static void write(StoredExecution row, JournalBatch entries) {
        row.writes++;
        row.progress = entries.progress().or(() -> row.progress);
        row.blockedAttempts = entries.blockedAttempts().orElse(row.blockedAttempts);
        for (TraceEvent event : entries.events()) {
            if (!isStored(row, event)) {
                if (event.seq() != row.trace.size() + 1) {
                    throw new IllegalStateException("a gap in the trace before " + event);
                }
                row.trace.add(event);
            }
        }
        for (OutputChunk chunk : entries.output()) {
            StringBuilder stream = chunk.kind() == OutputKind.OUT ? row.out : row.err;
            boolean stored = chunk.end() <= stream.length() && row.output.contains(chunk);
            if (!stored) {
                if (chunk.offset() != stream.length() || chunk.sequence() != row.out.length() + row.err.length()) {
                    throw new IllegalStateException("a gap in the output before " + chunk);
                }
                stream.append(chunk.text());
                row.output.add(chunk);
            }
        }
    }

    private static boolean isStored(StoredExecution row, TraceEvent event) {
        return event.seq() <= row.trace.size()
                && row.trace.get((int) event.seq() - 1).equals(event);
    }

    @Override
    public synchronized ReleaseResult release(FencingToken fence, JournalBatch entries) {
        ReleaseResult result = stopRunning(fence, entries, ExecutionState.PENDING);
        if (result == ReleaseResult.RELEASED) {
            maybeLoseAnswer();
        }
        return result;
    }

    /** Writes the entries and sets the state, unless a cancellation was requested or the execution is lost. */
    private ReleaseResult stopRunning(FencingToken fence, JournalBatch entries, ExecutionState next) {
        maybeFailWrite();
        if (unreleasable) {
            throw new IllegalStateException("not to be released, as the test says");
        }
        StoredExecution row = row(fence.id());
        if (!isOwner(row, fence)) {
            return ReleaseResult.LOST;
        }
        if (row.cancelRequested) {
            return ReleaseResult.CANCEL_REQUESTED;
        }
        write(row, entries);
        row.state = next;
        return ReleaseResult.RELEASED;
    }

    @Override
    public synchronized SuspendRequest.SuspendResult park(
            FencingToken fence, JournalBatch entries, SuspendRequest parking) {
        return switch (stopRunning(fence, entries, ExecutionState.WAITING)) {
            case LOST -> SuspendRequest.SuspendResult.LOST;
            case CANCEL_REQUESTED -> SuspendRequest.SuspendResult.CANCEL_REQUESTED;
            case RELEASED -> {
                row(fence.id()).parking = parking;
                maybeLoseAnswer();
                yield SuspendRequest.SuspendResult.PARKED;
            }
        };
    }

    @Override
    public synchronized Optional<StoredPosition> findPosition(ExecutionId id) {
        maybeFail();
        StoredExecution found = id.equals(deletedAfterPosition) ? rows.remove(id) : rows.get(id);
        return Optional.ofNullable(found)
                .map(row -> new StoredPosition(
                        row.state,
                        row.attempt,
                        row.trace.size(),
                        row.out.length(),
                        row.err.length(),
                        row.cancelRequested));
    }

    @Override
    public synchronized boolean resumeDue(FencingToken fence, Duration alone) {
        maybeFail();
        StoredExecution row = row(fence.id());
        if (row.state != ExecutionState.WAITING || row.attempt != fence.attempt()) {
            return false;
        }
        row.state = ExecutionState.PENDING;
        return true;
    }

    @Override
    public int resumeOrphanedWaits(String self, int limit) {
        return 0;
    }

    @Override
    public synchronized List<ExecutionJob> resumeDue(int limit, Duration alone) {
        List<ExecutionJob> woken = new ArrayList<>();
        for (StoredExecution row : rows.values()) {
            if (row.state == ExecutionState.WAITING) {
                row.state = ExecutionState.PENDING;
                woken.add(new ExecutionJob(
                        row.execution.id(), row.execution.tenant(), row.execution.priority(), row.attempt));
            }
        }
        return woken;
    }

    @Override
    public synchronized Optional<Duration> timeToNextResume(Duration within) {
        boolean any = rows.values().stream().anyMatch(row -> row.state == ExecutionState.WAITING);
        return any ? Optional.of(Duration.ZERO) : Optional.empty();
    }

    @Override
    public synchronized Optional<ExecutionState> finish(
            FencingToken fence, ExecutionOutcome outcome, JournalBatch entries) {
        maybeFailWrite();
        if (unwritable.test(outcome, entries)) {
            throw new IllegalStateException("not to be written, as the test says");
        }
        StoredExecution row = row(fence.id());
        if (!isOwner(row, fence) || isCrashed()) {
            return Optional.empty();
        }
        write(row, entries);
        ExecutionOutcome won = row.cancelRequested ? new ExecutionOutcome.ExecutionCancelled() : outcome;
        row.outcome = won;
        row.state = won.state();
        maybeLoseAnswer();
        return Optional.of(won.state());
    }

    @Override
    public synchronized List<ExecutionJob> overdueJobs(Duration repeatInterval, int limit) {
        maybeFail();
        List<ExecutionJob> jobs = new ArrayList<>();
        rows.values().stream()
                .filter(row -> row.state == ExecutionState.PENDING && !row.jobSent && !isDelayed(row))
                .limit(limit)
                .forEach(row -> {
                    row.jobSent = true;
                    jobs.add(new ExecutionJob(row.execution.id(), row.execution.tenant(), 4, row.attempt));
                });
        return jobs;
    }

    private static boolean isDelayed(StoredExecution row) {
        return row.execution.admission().isDelayed() && !row.due;
    }

    @Override
    public synchronized List<ExecutionJob> dueStarts(int limit) {
        maybeFail();
        List<ExecutionJob> jobs = new ArrayList<>();
        rows.values().stream()
                .filter(row -> row.state == ExecutionState.PENDING && isDelayed(row))
                .limit(limit)
                .forEach(row -> {
                    row.due = true;
                    row.jobSent = true;
                    jobs.add(new ExecutionJob(row.execution.id(), row.execution.tenant(), 4, row.attempt));
                });
        return jobs;
    }

    @Override
    public synchronized List<OrphanedExecution> findOrphans(String self, int limit) {
        maybeFail();
        return rows.values().stream()
                .filter(row -> row.state == ExecutionState.RUNNING
                        && !row.node.equals(self)
                        && !activeLeases.contains(row.node))
                .limit(limit)
                .map(row -> new OrphanedExecution(
                        new FencingToken(row.execution.id(), row.attempt),
                        row.execution.durability(),
                        row.cancelRequested,
                        row.losses,
                        row.lossesAlone,
                        row.runsAlone,
                        row.replayLosses,
                        row.replaysAlone))
                .toList();
    }

    @Override
    public synchronized boolean requeue(FencingToken fence) {
        return requeue(fence, 1);
    }

    @Override
    public synchronized boolean requeueOwn(FencingToken fence) {
        return requeue(fence, 0);
    }

    private boolean requeue(FencingToken fence, int losses) {
        maybeFailWrite();
        StoredExecution row = row(fence.id());
        if (!isOwner(row, fence) || row.cancelRequested) {
            return false;
        }
        row.losses += losses;
        row.lossesAlone += row.runsAlone ? losses : 0;
        row.replayLosses += row.replaysAlone ? losses : 0;
        row.jobSent = false;
        change(row, ExecutionState.PENDING);
        maybeLoseAnswer();
        return true;
    }

    @Override
    public synchronized boolean markAlone(FencingToken fence) {
        maybeFail();
        StoredExecution row = row(fence.id());
        row.runsAlone = isOwner(row, fence);
        row.replaysAlone = row.runsAlone
                && row.losses > 0
                && (row.trace.size() >= row.attempt || row.execution.rerun().isPresent());
        return row.runsAlone;
    }

    @Override
    public synchronized void unmarkAlone(String owner) {
        maybeFail();
        rows.values().stream().filter(row -> owner.equals(row.node)).forEach(row -> {
            row.runsAlone = false;
            row.replaysAlone = false;
        });
    }

    @Override
    public synchronized void markReplayed(FencingToken fence) {
        maybeFail();
        StoredExecution row = row(fence.id());
        if (isOwner(row, fence) && row.replaysAlone) {
            row.replaysAlone = false;
            row.replayLosses = 0;
        }
    }

    @Override
    public synchronized boolean failPending(FencingToken lastAttempt, ExecutionError error) {
        maybeFail();
        StoredExecution row = row(lastAttempt.id());
        if (row.state != ExecutionState.PENDING || row.attempt != lastAttempt.attempt()) {
            return false;
        }
        row.outcome = new ExecutionOutcome.ExecutionFailed(error);
        change(row, ExecutionState.FAILED);
        return true;
    }

    private static void change(StoredExecution row, ExecutionState state) {
        row.state = state;
        row.trace.add(new TraceEvent.StateChanged(row.trace.size() + 1, Instant.EPOCH, state, row.attempt));
    }

    @Override
    public synchronized List<ExecutionId> findCancelRequests(String node) {
        maybeFail();
        return rows.values().stream()
                .filter(row -> row.state == ExecutionState.RUNNING && row.cancelRequested && row.node.equals(node))
                .map(row -> row.execution.id())
                .toList();
    }

    @Override
    public synchronized List<TraceEvent> readTrace(ExecutionId id, long after, int limit) {
        return TestTracePages.page(
                row(id).trace.stream()
                        .filter(event -> !(event instanceof TraceEvent.ReplayLogRecorded))
                        .toList(),
                after,
                limit);
    }

    @Override
    public synchronized List<TraceEvent> readEntries(ExecutionId id, long after, int limit) {
        maybeFail();
        if (unreadable) {
            throw new IllegalStateException("not to be read, as the test says");
        }
        return rows.containsKey(id) ? TestTracePages.page(row(id).trace, after, limit) : List.of();
    }

    @Override
    public Optional<StoredSubmission> findSubmission(String tenant, ExecutionId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized long findLastCall(ExecutionId id) {
        return row(id).trace.stream()
                .filter(TraceEvent.ToolStarted.class::isInstance)
                .mapToLong(event -> ((TraceEvent.ToolStarted) event).call())
                .max()
                .orElse(0);
    }

    @Override
    public Optional<Execution> find(String tenant, ExecutionId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Execution> findAll(String tenant, List<ExecutionId> ids) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<ExecutionVersion> pollVersion(String tenant, ExecutionId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<String> findCode(String tenant, ExecutionId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ExecutionPage list(String tenant, ExecutionFilter filter, Optional<ExecutionId> before, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String readOutput(ExecutionId id, OutputKind kind, long offset, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<OutputChunk> readOutputInOrder(ExecutionId id, long outputOffset, long errorOffset, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized List<ExecutionId> retainUnfinished(List<ExecutionId> ids) {
        return ids.stream()
                .filter(id -> rows.containsKey(id) && !row(id).state.isTerminal())
                .toList();
    }

    @Override
    public Optional<Long> queuePosition(String tenant, ExecutionId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void ping() {
        maybeFail();
    }
}
