package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.CompletionNotifier;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.runner.OutcomeMapper.StopReason;
import org.sallyport.tool.ToolReply;

/**
 * Claims executions and runs them; returns as soon as the session is started. The number of live executions is bounded.
 * Past the bound, a caller of {@link #run} waits for a slot, so that jobs stay in the broker for nodes with free slots,
 * and executions that only wait are parked to free slots. Thread-safe.
 */
public final class ExecutionRunner implements LeaseManager.LeaseListener {
    private static final Logger LOG = System.getLogger(ExecutionRunner.class.getName());
    private static final long POLL_MILLIS = 200;
    /** How long the store offers the job of an execution that this node resumes to no other node. */
    private static final Duration EXCLUSIVE_CLAIM = Duration.ofSeconds(2);

    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
    /** Number of executions that may always run, even while memory is short. */
    private static final int MIN_LIVE_EXECUTIONS = 8;
    /** Divisor of the capacity: one poll parks at most this fraction of the slots. */
    private static final int PARK_FRACTION = 16;

    private final ExecutionStore store;
    private final EngineServices context;
    private final CompletionNotifier completions;
    private final int capacity;
    private final Semaphore slots;
    private final Map<ExecutionId, ExecutionRun> liveRuns = new ConcurrentHashMap<>();
    private final ParkedRuns parkedRuns;
    private final UnstartedClaims unstartedClaims;
    private final CrashLoopLimiter crashLoopLimiter;
    private final ReplayQueue replayQueue;
    /** Claims of live executions that hold a turn of a concurrency key. */
    private final Map<ExecutionId, ClaimedExecution> claimsWithKey = new ConcurrentHashMap<>();

    private volatile BiConsumer<String, String> concurrencyKeyListener = (tenant, key) -> {};
    private final BooleanSupplier memoryShortage;
    private final Consumer<ClaimedExecution> startListener;
    private final AtomicInteger waitingForSlot = new AtomicInteger();
    private volatile boolean shortOfMemory;
    /** Whether callers waited for a slot at the last poll. Used by the polling thread only. */
    private boolean crowdedBefore;

    private volatile boolean accepting = true;
    private volatile boolean listenersReleased;

    /** The lease owner under which executions are claimed; null while none may be claimed. */
    private volatile @Nullable String leaseOwner;

    /**
     * Claims nothing until {@link #startAccepting} is called.
     *
     * @param capacity maximum number of live executions
     * @param memory returns whether this process is short of memory
     */
    public ExecutionRunner(
            ExecutionStore store,
            EngineServices context,
            CompletionNotifier completions,
            int capacity,
            BooleanSupplier memory) {
        this(store, context, completions, capacity, Integer.MAX_VALUE, memory, claim -> {});
    }

    /**
     * Like the other constructor. {@code begun} receives each claimed execution before it starts, and must not throw.
     *
     * @param crashLoopStarts number of starts in a row without a clean stop at which the node begins with one execution
     *     at a time
     */
    public ExecutionRunner(
            ExecutionStore store,
            EngineServices context,
            CompletionNotifier completions,
            int capacity,
            int crashLoopStarts,
            BooleanSupplier memory,
            Consumer<ClaimedExecution> begun) {
        this.store = store;
        this.context = context;
        this.completions = completions;
        this.capacity = capacity;
        this.memoryShortage = memory;
        this.startListener = begun;
        this.slots = new Semaphore(capacity);
        this.crashLoopLimiter =
                new CrashLoopLimiter(slots, capacity, crashLoopStarts, store, context.scheduler(), context.executor());
        this.replayQueue = new ReplayQueue(context.scheduler(), context.executor());
        this.parkedRuns = new ParkedRuns(context, this::resumeReady);
        this.unstartedClaims = new UnstartedClaims(context, claim -> {
            completions.notifyEnded(claim.fence().id());
            releaseConcurrencyKey(claim);
        });
    }

    /**
     * Runs {@code id} if it is still pending; a repeated or late message has no effect. If the store is unavailable,
     * the execution stays pending and its job is sent again.
     */
    public void run(ExecutionId id) {
        String name = acquireSlot();
        if (name == null) {
            return;
        }
        if (runInSlot(id, parkedRuns.inFlight(id), () -> true, name)) {
            parkedRuns.remove(id);
        }
    }

    /**
     * Claims and starts an execution in a slot that the caller has acquired, and releases the slot if that fails.
     * Returns whether the execution started.
     */
    private boolean runInSlot(
            ExecutionId id,
            Map<Long, Optional<CompletionStage<ToolReply>>> inFlight,
            BooleanSupplier first,
            String name) {
        ExecutionRun execution = newRun(id, WorkerLossPolicy.initial(), inFlight);
        boolean entered = liveRuns.putIfAbsent(id, execution) == null;
        boolean begun = false;
        try {
            begun = entered && first.getAsBoolean() && claimAndStart(id, execution, name);
            return begun;
        } finally {
            if (entered && !begun) {
                replayQueue.leave(id);
                liveRuns.remove(id);
            }
            if (!begun) {
                releaseSlot();
            }
        }
    }

    /** Resumes parked executions that are ready, as long as there are free slots. */
    private void resumeReady() {
        String name = leaseOwner;
        while (name != null && parkedRuns.hasReady() && slots.tryAcquire()) {
            assignSlot(name);
        }
    }

    /**
     * Gives an acquired slot to the next parked execution that is ready, or releases the slot. Returns whether there
     * was such an execution.
     */
    private boolean assignSlot(String name) {
        Optional<ParkedRun> next = parkedRuns.pollReady();
        next.ifPresentOrElse(dormant -> context.executor().execute(() -> resumeParked(dormant, name)), slots::release);
        return next.isPresent();
    }

    private void resumeParked(ParkedRun dormant, String name) {
        BooleanSupplier woken = () -> {
            try {
                // Ignore the result: another node may have resumed the execution first, but it may still be unclaimed,
                // and this node has the replies.
                store.resumeDue(dormant.fence(), EXCLUSIVE_CLAIM);
                return true;
            } catch (StoreUnavailableException e) {
                LOG.log(
                        Level.DEBUG,
                        "execution {0} could not be resumed; the node tries again: {1}",
                        dormant.fence(),
                        e.getMessage());
                return false;
            }
        };
        if (!runInSlot(dormant.fence().id(), dormant.inFlight(), woken, name) && dormant.triesLeft() > 0) {
            // The store may be unavailable. If the execution has ended or another node has claimed it, the retry has no
            // effect.
            context.scheduler()
                    .schedule(
                            () -> parkedRuns.add(dormant.afterFailedTry()),
                            RETRY_DELAY.toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Gives the slot to parked executions before callers that wait for one: an execution that has begun comes before a
     * new one.
     */
    private void releaseSlot() {
        String name = leaseOwner;
        if (name == null) {
            slots.release();
        } else if (!assignSlot(name)) {
            resumeReady();
        }
    }

    private ExecutionRun newRun(
            ExecutionId id, WorkerLossPolicy chance, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight) {
        return new ExecutionRun(id, context, chance, inFlight, new ExecutionRun.RunListener() {
            @Override
            public void onFinished() {
                removeRun(id);
                completions.notifyEnded(id);
                releaseConcurrencyKey(claimsWithKey.remove(id));
            }

            @Override
            public void onReleased() {
                claimsWithKey.remove(id);
                removeRun(id);
            }

            @Override
            public void onReplayed(FencingToken fence) {
                replayQueue.leave(id);
                context.executor().execute(() -> crashLoopLimiter.onReplayed(fence));
            }

            @Override
            public void onParked(ParkedRun dormant) {
                claimsWithKey.remove(id);
                removeRun(id);
                parkedRuns.add(dormant);
            }

            @Override
            public void onRetry(WorkerLossPolicy next, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight) {
                restartInSlot(id, next, inFlight);
            }
        });
    }

    /** Restarts the execution in the slot it already has: the loss of a worker is no reason to queue again. */
    private void restartInSlot(
            ExecutionId id, WorkerLossPolicy chance, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight) {
        replayQueue.leave(id);
        ExecutionRun execution = newRun(id, chance, inFlight);
        String name = leaseOwner;
        liveRuns.put(id, execution);
        boolean begun = false;
        try {
            begun = accepting && name != null && claimAndStart(id, execution, name);
        } finally {
            if (!begun) {
                // The execution stays pending until a node claims it, or another node has it already.
                claimsWithKey.remove(id);
                removeRun(id);
            }
        }
    }

    /**
     * Claims and starts the execution. Returns whether it could be claimed.
     *
     * @param name the lease owner, read before the run was registered. A concurrent {@link #stop} either finds the run
     *     registered or makes this check fail; in the remaining window the claim is fenced by the expired lease.
     */
    private boolean claimAndStart(ExecutionId id, ExecutionRun execution, String name) {
        if (!name.equals(leaseOwner)) {
            return false;
        }
        Instant asked = context.clock().instant();
        Optional<ClaimedExecution> claim = claim(id, name);
        Instant answered = context.clock().instant();
        claim.ifPresent(claimed -> start(claimed, execution, name, clockOffset(claimed.now(), asked, answered)));
        return claim.isPresent();
    }

    private Optional<ClaimedExecution> claim(ExecutionId id, String name) {
        try {
            return store.claim(id, name);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.WARNING, "execution {0} could not be claimed: {1}", id, e.getMessage());
            return e.maybeStored() ? repeatClaim(id, name) : Optional.empty();
        }
    }

    /**
     * Repeats a claim that may be stored until the store answers, because no other node would run the execution. Gives
     * up when the lease under which it was claimed has ended, or the node closes: the execution is then an orphan.
     */
    private Optional<ClaimedExecution> repeatClaim(ExecutionId id, String name) {
        return StoreRetry.callDespiteFaults(
                        () -> store.claim(id, name).or(() -> store.findClaim(id, name)),
                        () -> listenersReleased || !name.equals(leaseOwner))
                .flatMap(Function.identity());
    }

    /**
     * Starts a claimed execution, at once or when it is its turn to replay its journal. If that fails, the execution is
     * released, or fails after several attempts.
     */
    private void start(ClaimedExecution claim, ExecutionRun execution, String name, Duration ahead) {
        ExecutionId id = claim.fence().id();
        if (claim.nodeLosses() == 0 || replayQueue.enter(id, () -> startInTurn(claim, execution, name, ahead))) {
            startNow(claim, execution, name, ahead);
        } else {
            execution.awaitTurn(claim, () -> replayQueue.endWait(id));
        }
    }

    private void startInTurn(ClaimedExecution claim, ExecutionRun execution, String name, Duration ahead) {
        boolean started = false;
        try {
            startNow(claim, execution, name, ahead);
            started = true;
        } finally {
            if (!started) {
                removeRun(claim.fence().id());
            }
        }
    }

    private void startNow(ClaimedExecution claim, ExecutionRun execution, String name, Duration ahead) {
        ExecutionId id = claim.fence().id();
        try {
            crashLoopLimiter.onClaimed(claim.fence());
            Failpoint.CLAIMED.reached(id);
            claim.concurrencyKey().ifPresent(key -> claimsWithKey.put(id, claim));
            startListener.accept(claim);
            execution.start(claim, name, ahead);
            unstartedClaims.onStarted(id);
        } catch (RuntimeException | Error e) {
            claimsWithKey.remove(id);
            unstartedClaims.onStartFailed(claim, e);
            throw e;
        }
    }

    /**
     * Returns how far the store's clock is ahead of this node's clock; zero if the round trip alone can explain the
     * difference.
     */
    private static Duration clockOffset(Instant storeTime, Instant asked, Instant answered) {
        if (storeTime.isBefore(asked)) {
            return Duration.between(asked, storeTime);
        }
        return storeTime.isAfter(answered) ? Duration.between(answered, storeTime) : Duration.ZERO;
    }

    private void releaseConcurrencyKey(@Nullable ClaimedExecution ended) {
        if (ended != null) {
            ended.concurrencyKey().ifPresent(key -> concurrencyKeyListener.accept(ended.tenant(), key));
        }
    }

    /**
     * Sets the listener that receives the tenant and the key when an execution with a concurrency key has ended on this
     * node. The listener must not block. There is at most one, set at startup.
     */
    public void setConcurrencyKeyListener(BiConsumer<String, String> listener) {
        concurrencyKeyListener = listener;
    }

    /** Waits for a slot and the lease. Returns the lease owner to claim under; null when nothing is to be claimed. */
    private @Nullable String acquireSlot() {
        try {
            while (accepting) {
                String name = leaseOwner;
                if (name == null) {
                    // Keep the job here: the broker would only deliver it again.
                    TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                } else if (shortOfMemory && liveRuns.size() >= MIN_LIVE_EXECUTIONS) {
                    TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                } else if (slots.tryAcquire() || awaitFreeSlot()) {
                    return name;
                }
            }
            // A closing node does not run this job. The listener keeps it, so that other nodes take the jobs behind it;
            // this job is sent again later.
            while (!listenersReleased) {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    private boolean awaitFreeSlot() throws InterruptedException {
        waitingForSlot.incrementAndGet();
        try {
            return slots.tryAcquire(POLL_MILLIS, TimeUnit.MILLISECONDS);
        } finally {
            waitingForSlot.decrementAndGet();
        }
    }

    private void removeRun(ExecutionId id) {
        replayQueue.leave(id);
        if (liveRuns.remove(id) != null) {
            releaseSlot();
        }
    }

    @Override
    public void onAcquired(int uncleanStarts, String name) {
        crashLoopLimiter.begin(uncleanStarts, name);
        startAccepting(name);
    }

    @Override
    public void startAccepting(String name) {
        leaseOwner = name;
    }

    @Override
    public void stop() {
        leaseOwner = null;
        parkedRuns.clear();
        liveRuns.forEach((id, execution) -> {
            try {
                execution.abandon();
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "execution " + id + " could not be stopped cleanly", e);
            }
        });
    }

    /** Returns the lease owner under which executions are claimed; empty while none may be claimed. */
    Optional<String> leaseOwner() {
        return Optional.ofNullable(leaseOwner);
    }

    /** Cancels {@code id} if it runs or is parked on this node. Returns whether it was found here. */
    public boolean cancel(ExecutionId id) {
        ExecutionRun execution = liveRuns.get(id);
        if (execution == null) {
            return parkedRuns.cancel(id);
        }
        execution.stop(StopReason.CANCEL);
        return true;
    }

    /** Polls the decisions that live executions wait for, and parks idle executions while slots or memory are short. */
    void poll() {
        shortOfMemory = memoryShortage.getAsBoolean();
        // Do not park for a momentary shortage: each parked execution costs a commit and a replay from its beginning.
        boolean crowded = waitingForSlot.get() > 0;
        if (shortOfMemory || (crowded && crowdedBefore)) {
            parkIdle();
        }
        crowdedBefore = crowded;
        liveRuns.values().forEach(ExecutionRun::poll);
        resumeReady();
    }

    /** Parks only a few at a time: one freed slot may serve many other executions. */
    private void parkIdle() {
        int left = Math.max(2, capacity / PARK_FRACTION);
        for (ExecutionRun execution : liveRuns.values()) {
            if (left == 0) {
                return;
            }
            left -= execution.parkIdle() ? 1 : 0;
        }
    }

    /** Returns the listener for the metrics of runs on this node. */
    public RunMetricsListener metricsListener() {
        return context.metricsListener();
    }

    /** Returns the number of live executions. */
    public int liveCount() {
        return liveRuns.size();
    }

    /** Returns the number of free slots. */
    public int freeSlots() {
        return slots.availablePermits();
    }

    /** Returns whether {@code id} is live on this node. */
    boolean isRunning(ExecutionId id) {
        return liveRuns.containsKey(id);
    }

    /**
     * Stops claiming, waits up to {@code graceMillis} for live executions to end, then stops them. Executions that wait
     * for their turn to replay are stopped at once. The sent effects of a stopped execution have another {@code
     * graceMillis} to be answered, because the next run could not ask for their replies again.
     */
    public void close(long graceMillis) {
        accepting = false;
        crashLoopLimiter.end();
        // At once: they would begin to replay just before the node stops.
        replayQueue
                .waiting()
                .forEach(id -> Optional.ofNullable(liveRuns.get(id))
                        .ifPresent(execution -> execution.stopForHandover(Duration.ZERO)));
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(graceMillis);
        awaitParkedReplies(end);
        if (!awaitDrained(Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())))) {
            List.copyOf(liveRuns.values())
                    .forEach(execution -> execution.stopForHandover(Duration.ofMillis(graceMillis)));
            awaitDrained(graceMillis + 3_000);
        }
    }

    /** After {@link #close}: releases the listeners that still hold a job, without running it. */
    public void releaseListeners() {
        listenersReleased = true;
    }

    private void awaitParkedReplies(long end) {
        try {
            while (!parkedRuns.isEmpty() && System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        parkedRuns.clear();
    }

    private boolean awaitDrained(long millis) {
        try {
            if (slots.tryAcquire(capacity, millis, TimeUnit.MILLISECONDS)) {
                slots.release(capacity);
                return true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }
}
