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
import org.sallyport.execution.Acceptance;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.Cancellation;
import org.sallyport.execution.CapabilityUse;
import org.sallyport.execution.Claim;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionPage;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Extent;
import org.sallyport.execution.Fence;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Orphan;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.Parking;
import org.sallyport.execution.PendingJob;
import org.sallyport.execution.Progress;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.Submitted;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.journal.OutputChunk;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.ToolName;

/** A store and journal in memory that can be told to fail: enough of the contract to run executions on. */
final class MemoryStore implements ExecutionStore, Journal {
    private final Map<ExecutionId, Row> rows = new LinkedHashMap<>();
    /** Whose calls those answer that are nested. */
    private final Map<ExecutionId, ExecutionId> parents = new HashMap<>();

    private int askedAround;
    private final AtomicInteger failures = new AtomicInteger();
    private boolean failsToClaim;
    private int writesLeft = Integer.MAX_VALUE;

    /** Journals cannot be read, and no waiting helps. */
    volatile boolean unreadable;
    /** Nothing can be claimed, and no waiting helps. */
    volatile boolean unclaimable;
    /** What ends cannot be written, and no waiting helps. */
    volatile BiPredicate<Outcome, Entries> unwritable = (outcome, entries) -> false;

    /** What time it is here. */
    volatile InstantSource clock = InstantSource.system();

    /** Holders whose lease lasts. */
    final Set<String> leased = new HashSet<>();

    static final class Row {
        final NewExecution execution;
        ExecutionState state = ExecutionState.PENDING;
        int attempt;
        boolean cancelRequested;
        boolean givenOut;
        /** Whether its time to begin has come: there is no clock here, so it comes when somebody looks. */
        boolean due;

        String node = "";

        @Nullable Outcome outcome;
        /** How it was parked last. */
        @Nullable Parking parking;

        final List<TraceEvent> trace = new ArrayList<>();
        final StringBuilder out = new StringBuilder();
        Optional<Progress> progress = Optional.empty();
        int writes;
        int lostRuns;

        Row(NewExecution execution) {
            this.execution = execution;
        }
    }

    /** The node that writes dies after {@code n} more writes: whatever it writes then is not stored. */
    synchronized void dieAfter(int n) {
        writesLeft = n;
    }

    synchronized void live() {
        writesLeft = Integer.MAX_VALUE;
    }

    /** What repeats another has the same chance. */
    private String seed(ExecutionId id) {
        Row row = rows.get(id);
        return row == null
                ? "seed of " + id
                : row.execution.rerun().map(rerun -> seed(rerun.of())).orElse("seed of " + id);
    }

    private boolean dead() {
        return writesLeft-- <= 0;
    }

    /** The next {@code n} calls fail as if the database were away. */
    synchronized void failNextClaim() {
        failsToClaim = true;
    }

    void failNext(int n) {
        failures.set(n);
    }

    synchronized Row row(ExecutionId id) {
        Row row = rows.get(id);
        if (row == null) {
            throw new IllegalArgumentException("no row " + id);
        }
        return row;
    }

    /** Of a store that holds one. */
    synchronized Row only() {
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
    public synchronized Acceptance accept(NewExecution execution) {
        maybeFail();
        rows.put(execution.id(), new Row(execution));
        return new Acceptance.Stored(execution.id());
    }

    @Override
    public Optional<Acceptance> earlier(NewExecution execution) {
        return Optional.empty();
    }

    /** Of which batch what shares its reads is, when it is taken. */
    volatile BatchId batch = new BatchId(new UUID(0, 1));

    @Override
    public synchronized Optional<Claim> claim(ExecutionId id, String node) {
        if (failsToClaim) {
            failsToClaim = false;
            throw new StoreUnavailableException("away, as the test says", new IllegalStateException());
        }
        maybeFail();
        if (unclaimable) {
            throw new IllegalStateException("not to be claimed, as the test says");
        }
        Row row = rows.get(id);
        if (row == null || row.state != ExecutionState.PENDING || waits(row)) {
            return Optional.empty();
        }
        row.state = ExecutionState.RUNNING;
        row.attempt++;
        row.node = node;
        NewExecution e = row.execution;
        return Optional.of(new Claim(
                new Fence(id, row.attempt),
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
                0,
                e.rerun(),
                e.effects(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                e.reuse().sharesReads() ? Optional.of(batch) : Optional.empty(),
                e.capability().map(CapabilityUse::ref),
                Optional.ofNullable(parents.get(id)),
                byDeadline,
                e.admission().concurrencyKey()));
    }

    /** {@code child} answers a call of {@code parent} from now on. */
    synchronized void nest(ExecutionId child, ExecutionId parent) {
        parents.put(child, parent);
    }

    /** What the others of its tree have called. */
    synchronized List<ToolName> calledAround(ExecutionId member) {
        maybeFail();
        askedAround++;
        return rows.keySet().stream()
                .filter(id -> !id.equals(member) && root(id).equals(root(member)))
                .flatMap(id -> row(id).trace.stream())
                .filter(TraceEvent.ToolStarted.class::isInstance)
                .map(event -> ((TraceEvent.ToolStarted) event).tool())
                .toList();
    }

    /** How often that was asked. */
    synchronized int askedAround() {
        return askedAround;
    }

    private ExecutionId root(ExecutionId id) {
        ExecutionId parent = parents.get(id);
        return parent == null ? id : root(parent);
    }

    /** Whether what is taken ends by a deadline of its own. */
    volatile boolean byDeadline;

    @Override
    public List<Late> endLate(int limit, Predicate<ToolName> changes) {
        return List.of();
    }

    @Override
    public List<PendingJob> passTurns(String tenant, String key) {
        return List.of();
    }

    @Override
    public List<PendingJob> passTurns(int limit) {
        return List.of();
    }

    @Override
    public List<ExecutionId> turnHolders(String tenant, ExecutionId id) {
        throw new UnsupportedOperationException();
    }

    /** Puts a running execution back, as for a node that died. */
    synchronized void recover(ExecutionId id) {
        row(id).state = ExecutionState.PENDING;
    }

    @Override
    public synchronized Cancellation cancel(String tenant, ExecutionId id, Predicate<ToolName> changes) {
        maybeFail();
        Row row = rows.get(id);
        if (row == null) {
            return new Cancellation.NotFound();
        } else if (row.state.terminal()) {
            return new Cancellation.AlreadyTerminal(row.state);
        } else if (row.state == ExecutionState.PENDING) {
            row.state = ExecutionState.CANCELLED;
            return new Cancellation.Done(false);
        } else if (row.state == ExecutionState.WAITING) {
            row.state = ExecutionState.CANCELLED;
            return new Cancellation.Done(
                    row.parking != null && row.parking.node().isPresent());
        }
        row.cancelRequested = true;
        return new Cancellation.Requested();
    }

    @Override
    public synchronized boolean append(Fence fence, Entries entries) {
        maybeFail();
        Row row = row(fence.id());
        if (row.state != ExecutionState.RUNNING || row.attempt != fence.attempt() || dead()) {
            return false;
        }
        write(row, entries);
        return true;
    }

    private static void write(Row row, Entries entries) {
        row.writes++;
        row.progress = entries.progress().or(() -> row.progress);
        for (TraceEvent event : entries.events()) {
            if (event.seq() != row.trace.size() + 1) {
                throw new IllegalStateException("a gap in the trace before " + event);
            }
            row.trace.add(event);
        }
        for (OutputChunk chunk : entries.output()) {
            if (chunk.kind() == OutputKind.OUT) {
                if (chunk.offset() != row.out.length()) {
                    throw new IllegalStateException("a gap in the output before " + chunk);
                }
                row.out.append(chunk.text());
            }
        }
    }

    @Override
    public synchronized boolean release(Fence fence, Entries entries) {
        maybeFail();
        Row row = row(fence.id());
        if (row.state != ExecutionState.RUNNING || row.attempt != fence.attempt() || row.cancelRequested) {
            return false;
        }
        write(row, entries);
        row.state = ExecutionState.PENDING;
        return true;
    }

    @Override
    public synchronized Parking.Answer park(Fence fence, Entries entries, Parking parking) {
        if (!release(fence, entries)) {
            return Parking.Answer.NOT_HELD;
        }
        Row row = row(fence.id());
        row.state = ExecutionState.WAITING;
        row.parking = parking;
        return Parking.Answer.PARKED;
    }

    @Override
    public synchronized boolean wake(Fence fence, Duration alone) {
        maybeFail();
        Row row = row(fence.id());
        if (row.state != ExecutionState.WAITING || row.attempt != fence.attempt()) {
            return false;
        }
        row.state = ExecutionState.PENDING;
        return true;
    }

    @Override
    public int wakeLost(String self, int limit) {
        return 0;
    }

    @Override
    public synchronized List<PendingJob> wake(int limit, Duration alone) {
        List<PendingJob> woken = new ArrayList<>();
        for (Row row : rows.values()) {
            if (row.state == ExecutionState.WAITING) {
                row.state = ExecutionState.PENDING;
                woken.add(new PendingJob(
                        row.execution.id(), row.execution.tenant(), row.execution.priority(), row.attempt));
            }
        }
        return woken;
    }

    @Override
    public synchronized Optional<Duration> nextWake(Duration within) {
        boolean any = rows.values().stream().anyMatch(row -> row.state == ExecutionState.WAITING);
        return any ? Optional.of(Duration.ZERO) : Optional.empty();
    }

    @Override
    public synchronized Optional<ExecutionState> finish(Fence fence, Outcome outcome, Entries entries) {
        maybeFail();
        if (unwritable.test(outcome, entries)) {
            throw new IllegalStateException("not to be written, as the test says");
        }
        Row row = row(fence.id());
        if (row.state != ExecutionState.RUNNING || row.attempt != fence.attempt() || dead()) {
            return Optional.empty();
        }
        write(row, entries);
        Outcome won = row.cancelRequested ? new Outcome.Cancelled() : outcome;
        row.outcome = won;
        row.state = won.state();
        return Optional.of(won.state());
    }

    @Override
    public synchronized List<PendingJob> overdueJobs(Duration again, int limit) {
        maybeFail();
        List<PendingJob> jobs = new ArrayList<>();
        rows.values().stream()
                .filter(row -> row.state == ExecutionState.PENDING && !row.givenOut && !waits(row))
                .limit(limit)
                .forEach(row -> {
                    row.givenOut = true;
                    jobs.add(new PendingJob(row.execution.id(), row.execution.tenant(), 4, row.attempt));
                });
        return jobs;
    }

    private static boolean waits(Row row) {
        return row.execution.admission().delayed() && !row.due;
    }

    @Override
    public synchronized List<PendingJob> starts(int limit) {
        maybeFail();
        List<PendingJob> jobs = new ArrayList<>();
        rows.values().stream()
                .filter(row -> row.state == ExecutionState.PENDING && waits(row))
                .limit(limit)
                .forEach(row -> {
                    row.due = true;
                    row.givenOut = true;
                    jobs.add(new PendingJob(row.execution.id(), row.execution.tenant(), 4, row.attempt));
                });
        return jobs;
    }

    @Override
    public synchronized List<Orphan> orphans(String self, int limit) {
        maybeFail();
        return rows.values().stream()
                .filter(row ->
                        row.state == ExecutionState.RUNNING && !row.node.equals(self) && !leased.contains(row.node))
                .limit(limit)
                .map(row -> new Orphan(
                        new Fence(row.execution.id(), row.attempt),
                        row.execution.durability(),
                        row.cancelRequested,
                        row.lostRuns))
                .toList();
    }

    @Override
    public synchronized boolean requeue(Fence fence) {
        maybeFail();
        Row row = row(fence.id());
        if (row.state != ExecutionState.RUNNING || row.attempt != fence.attempt() || row.cancelRequested) {
            return false;
        }
        row.lostRuns++;
        row.givenOut = false;
        change(row, ExecutionState.PENDING);
        return true;
    }

    @Override
    public synchronized boolean failPending(Fence lastAttempt, ExecutionError error) {
        maybeFail();
        Row row = row(lastAttempt.id());
        if (row.state != ExecutionState.PENDING || row.attempt != lastAttempt.attempt()) {
            return false;
        }
        row.outcome = new Outcome.Failed(error);
        change(row, ExecutionState.FAILED);
        return true;
    }

    private static void change(Row row, ExecutionState state) {
        row.state = state;
        row.trace.add(new TraceEvent.StateChanged(row.trace.size() + 1, Instant.EPOCH, state, row.attempt));
    }

    @Override
    public synchronized List<ExecutionId> cancelRequests(String node) {
        maybeFail();
        return rows.values().stream()
                .filter(row -> row.state == ExecutionState.RUNNING && row.cancelRequested && row.node.equals(node))
                .map(row -> row.execution.id())
                .toList();
    }

    @Override
    public List<Fence> overdueRuns(Duration grace, int limit) {
        return List.of();
    }

    @Override
    public synchronized List<TraceEvent> trace(ExecutionId id, long after, int limit) {
        return row(id).trace.stream()
                .filter(event -> !(event instanceof TraceEvent.Recorded) && event.seq() > after)
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized List<TraceEvent> entries(ExecutionId id, long after, int limit) {
        return List.copyOf(row(id).trace);
    }

    @Override
    public Optional<Submitted> submitted(String tenant, ExecutionId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized List<TraceEvent> recording(ExecutionId id) {
        maybeFail();
        if (unreadable) {
            throw new IllegalStateException("not to be read, as the test says");
        }
        return rows.containsKey(id) ? List.copyOf(row(id).trace) : List.of();
    }

    @Override
    public Optional<Execution> find(String tenant, ExecutionId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Extent> extent(String tenant, ExecutionId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<String> code(String tenant, ExecutionId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ExecutionPage list(String tenant, ExecutionFilter filter, Optional<ExecutionId> before, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String output(ExecutionId id, OutputKind kind, long offset, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized List<ExecutionId> live(List<ExecutionId> ids) {
        return ids.stream()
                .filter(id -> rows.containsKey(id) && !row(id).state.terminal())
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
