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
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.CompletionNotifier;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.runner.OutcomeMapper.StopReason;
import org.sallyport.tool.ToolReply;

/**
 * Takes executions and lets them run; returns as soon as the session is started. The number of live executions is bounded:
 * past the bound a taker waits for a place, so that jobs stay in the broker for nodes that have one, and executions that only
 * wait are parked for them.
 */
public final class ExecutionRunner implements LeaseManager.LeaseHolder {
    private static final Logger LOG = System.getLogger(ExecutionRunner.class.getName());
    private static final long POLL_MILLIS = 200;
    /** So long only this node is to take what it wakes. */
    private static final Duration EXCLUSIVE_CLAIM = Duration.ofSeconds(2);

    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
    /** So many may always run, however little memory there is. */
    private static final int MIN_LIVE_EXECUTIONS = 8;
    /** What part of the places is to be freed at one look. */
    private static final int PARK_FRACTION = 16;

    private final ExecutionStore store;
    private final EngineServices context;
    private final CompletionNotifier completions;
    private final int capacity;
    private final Semaphore slots;
    private final Map<ExecutionId, ExecutionRun> liveRuns = new ConcurrentHashMap<>();
    private final ParkedRuns parkedRuns;
    /** Of those that run here, which have a turn of a concurrency key. */
    private final Map<ExecutionId, ClaimedExecution> claimsWithKey = new ConcurrentHashMap<>();

    private volatile BiConsumer<String, String> concurrencyKeyListener = (tenant, key) -> {};
    private final BooleanSupplier memoryShortage;
    private final Consumer<ClaimedExecution> startListener;
    private final AtomicInteger waitingForSlot = new AtomicInteger();
    private volatile boolean shortOfMemory;
    /** At the last look; used by whoever looks. */
    private boolean crowdedBefore;

    private volatile boolean accepting = true;
    private volatile boolean listenersReleased;

    /** In whose name executions are taken; null while none may be. */
    private volatile @Nullable String leaseHolder;

    /**
     * Takes nothing until it is told to {@link #startAccepting}.
     *
     * @param capacity live executions at most
     * @param memory whether this process has little memory left
     */
    public ExecutionRunner(
            ExecutionStore store,
            EngineServices context,
            CompletionNotifier completions,
            int capacity,
            BooleanSupplier memory) {
        this(store, context, completions, capacity, memory, claim -> {});
    }

    /** Likewise; {@code begun} hears of each execution before it begins, and must not throw. */
    public ExecutionRunner(
            ExecutionStore store,
            EngineServices context,
            CompletionNotifier completions,
            int capacity,
            BooleanSupplier memory,
            Consumer<ClaimedExecution> begun) {
        this.store = store;
        this.context = context;
        this.completions = completions;
        this.capacity = capacity;
        this.memoryShortage = memory;
        this.startListener = begun;
        this.slots = new Semaphore(capacity);
        this.parkedRuns = new ParkedRuns(context, this::resumeReady);
    }

    /**
     * Runs {@code id} if it still waits to be run; a repeated or late message does nothing. A store that does not answer is
     * no loss: the execution stays pending and its job is sent again.
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

    /** In a place that is taken, and given back if nothing comes of it; whether something does. */
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
                liveRuns.remove(id);
            }
            if (!begun) {
                releaseSlot();
            }
        }
    }

    /** Lets go on what answers have come for, as far as there are places. */
    private void resumeReady() {
        String name = leaseHolder;
        while (name != null && parkedRuns.hasReady() && slots.tryAcquire()) {
            assignSlot(name);
        }
    }

    /** Gives a place that is taken to the first that is to go on; whether there was one. */
    private boolean assignSlot(String name) {
        Optional<ParkedRun> next = parkedRuns.pollReady();
        next.ifPresentOrElse(dormant -> context.executor().execute(() -> resumeParked(dormant, name)), slots::release);
        return next.isPresent();
    }

    private void resumeParked(ParkedRun dormant, String name) {
        BooleanSupplier woken = () -> {
            try {
                // Somebody else may have been first, and it still wait for its runner: who has the answers is the one.
                store.resumeDue(dormant.fence(), EXCLUSIVE_CLAIM);
                return true;
            } catch (StoreUnavailableException e) {
                LOG.log(Level.DEBUG, "{0} goes on later: {1}", dormant.fence(), e.getMessage());
                return false;
            }
        };
        if (!runInSlot(dormant.fence().id(), dormant.inFlight(), woken, name) && dormant.triesLeft() > 0) {
            // The store may be away. If it has ended or another has it, this does nothing.
            context.scheduler()
                    .schedule(
                            () -> parkedRuns.add(dormant.afterFailedTry()),
                            RETRY_DELAY.toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    /** Before those who wait for a place: what has begun ends first. */
    private void releaseSlot() {
        String name = leaseHolder;
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

    /** In the place it has: what it lost its worker for is no reason to queue once more. */
    private void restartInSlot(
            ExecutionId id, WorkerLossPolicy chance, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight) {
        ExecutionRun execution = newRun(id, chance, inFlight);
        String name = leaseHolder;
        liveRuns.put(id, execution);
        boolean begun = false;
        try {
            begun = accepting && name != null && claimAndStart(id, execution, name);
        } finally {
            if (!begun) {
                // It waits for whoever claims it next, or somebody has it by now.
                claimsWithKey.remove(id);
                removeRun(id);
            }
        }
    }

    /**
     * Whether it could be claimed.
     *
     * @param name the holder's, from before it was entered as live: a {@link #stop} since then found it there, and if it
     *     came before this look it is seen, otherwise what is claimed is held in a name that has no lease any more
     */
    private boolean claimAndStart(ExecutionId id, ExecutionRun execution, String name) {
        if (!name.equals(leaseHolder)) {
            return false;
        }
        Optional<ClaimedExecution> claim = Optional.empty();
        Instant asked = context.clock().instant();
        try {
            claim = store.claim(id, name);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.WARNING, "execution {0} could not be claimed: {1}", id, e.getMessage());
        }
        Instant answered = context.clock().instant();
        claim.ifPresent(claimed -> {
            Failpoint.CLAIMED.reached(id);
            claimed.concurrencyKey().ifPresent(key -> claimsWithKey.put(id, claimed));
            startListener.accept(claimed);
            execution.start(claimed, name, clockOffset(claimed.now(), asked, answered));
        });
        return claim.isPresent();
    }

    /** By how much the store's clock is ahead of this node's, as far as the answer did not only take its time. */
    private static Duration clockOffset(Instant told, Instant asked, Instant answered) {
        if (told.isBefore(asked)) {
            return Duration.between(asked, told);
        }
        return told.isAfter(answered) ? Duration.between(answered, told) : Duration.ZERO;
    }

    private void releaseConcurrencyKey(@Nullable ClaimedExecution ended) {
        if (ended != null) {
            ended.concurrencyKey().ifPresent(key -> concurrencyKeyListener.accept(ended.tenant(), key));
        }
    }

    /**
     * Has {@code listener} told the tenant and the key when an execution with a concurrency key has ended here: it must not block. At
     * most one, set at the start.
     */
    public void setConcurrencyKeyListener(BiConsumer<String, String> listener) {
        concurrencyKeyListener = listener;
    }

    /** The name to claim in, once there is a place and a lease; null when nothing is to be taken. */
    private @Nullable String acquireSlot() {
        try {
            while (accepting) {
                String name = leaseHolder;
                if (name == null) {
                    // The job stays here rather than with the broker, who would only bring it again.
                    TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                } else if (shortOfMemory && liveRuns.size() >= MIN_LIVE_EXECUTIONS) {
                    TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                } else if (slots.tryAcquire() || awaitFreeSlot()) {
                    return name;
                }
            }
            // Whoever comes now is not run here. It stays, so that those behind it are left to other nodes, and is sent
            // again.
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
        if (liveRuns.remove(id) != null) {
            releaseSlot();
        }
    }

    @Override
    public void startAccepting(String name) {
        leaseHolder = name;
    }

    @Override
    public void stop() {
        leaseHolder = null;
        parkedRuns.clear();
        liveRuns.forEach((id, execution) -> {
            try {
                execution.abandon();
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "execution " + id + " could not be stopped in good order", e);
            }
        });
    }

    /** In whose name executions are taken now; empty while none may be. */
    Optional<String> leaseHolder() {
        return Optional.ofNullable(leaseHolder);
    }

    /** Stops {@code id} if it runs here; whether it does. */
    public boolean cancel(ExecutionId id) {
        ExecutionRun execution = liveRuns.get(id);
        if (execution == null) {
            return parkedRuns.cancel(id);
        }
        execution.stop(StopReason.CANCEL);
        return true;
    }

    /** What runs here may wait for people who have decided meanwhile. */
    void poll() {
        shortOfMemory = memoryShortage.getAsBoolean();
        // Not for a moment: each that is parked costs a commit, and a run from its beginning.
        boolean crowded = waitingForSlot.get() > 0;
        if (shortOfMemory || (crowded && crowdedBefore)) {
            parkIdle();
        }
        crowdedBefore = crowded;
        liveRuns.values().forEach(ExecutionRun::poll);
        resumeReady();
    }

    /** Some at a time: the place of one may serve many others. */
    private void parkIdle() {
        int left = Math.max(2, capacity / PARK_FRACTION);
        for (ExecutionRun execution : liveRuns.values()) {
            if (left == 0) {
                return;
            }
            left -= execution.parkIdle() ? 1 : 0;
        }
    }

    /** Tells how runs fare. */
    public RunMetricsListener metricsListener() {
        return context.metricsListener();
    }

    /** Executions in memory. */
    public int liveCount() {
        return liveRuns.size();
    }

    /** Executions that could still be taken. */
    public int freeSlots() {
        return slots.availablePermits();
    }

    /** Whether {@code id} is in memory here. */
    boolean isRunning(ExecutionId id) {
        return liveRuns.containsKey(id);
    }

    /**
     * Takes no more; waits up to {@code graceMillis} for what runs, then stops it. What has effects at tools by then has as
     * long again to be answered: whoever goes on could not ask again.
     */
    public void close(long graceMillis) {
        accepting = false;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(graceMillis);
        awaitParkedReplies(end);
        if (!awaitDrained(Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())))) {
            List.copyOf(liveRuns.values())
                    .forEach(execution -> execution.stopForHandover(Duration.ofMillis(graceMillis)));
            awaitDrained(graceMillis + 3_000);
        }
    }

    /** After {@link #close}: whoever still brings an execution is let go, and it is not run. */
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
