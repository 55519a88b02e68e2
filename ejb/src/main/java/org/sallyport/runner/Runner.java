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
import org.sallyport.execution.Claim;
import org.sallyport.execution.Completions;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.runner.Outcomes.Stop;
import org.sallyport.tool.ToolReply;

/**
 * Takes executions and lets them run; returns as soon as the session is started. The number of live executions is bounded:
 * past the bound a taker waits for a place, so that jobs stay in the broker for nodes that have one, and executions that only
 * wait are parked for them.
 */
public final class Runner implements LeaseKeeper.Work {
    private static final Logger LOG = System.getLogger(Runner.class.getName());
    private static final long POLL_MILLIS = 200;
    /** So long only this node is to take what it wakes. */
    private static final Duration ALONE = Duration.ofSeconds(2);

    private static final Duration LATER = Duration.ofSeconds(1);
    /** So many may always run, however little memory there is. */
    private static final int FEWEST = 8;
    /** What part of the places is to be freed at one look. */
    private static final int SOME = 16;

    private final ExecutionStore store;
    private final RunContext context;
    private final Completions completions;
    private final int capacity;
    private final Semaphore places;
    private final Map<ExecutionId, LiveExecution> live = new ConcurrentHashMap<>();
    private final Dormants dormants;
    /** Of those that run here, which have a turn of a concurrency key. */
    private final Map<ExecutionId, Claim> keyed = new ConcurrentHashMap<>();

    private volatile BiConsumer<String, String> turnOver = (tenant, key) -> {};
    private final BooleanSupplier memory;
    private final Consumer<Claim> begun;
    private final AtomicInteger takers = new AtomicInteger();
    private volatile boolean shortOfMemory;
    /** At the last look; used by whoever looks. */
    private boolean crowdedBefore;

    private volatile boolean open = true;
    private volatile boolean gone;

    /** In whose name executions are taken; null while none may be. */
    private volatile @Nullable String holder;

    /**
     * Takes nothing until it is told to {@link #resume}.
     *
     * @param capacity live executions at most
     * @param memory whether this process has little memory left
     */
    public Runner(
            ExecutionStore store, RunContext context, Completions completions, int capacity, BooleanSupplier memory) {
        this(store, context, completions, capacity, memory, claim -> {});
    }

    /** Likewise; {@code begun} hears of each execution before it begins, and must not throw. */
    public Runner(
            ExecutionStore store,
            RunContext context,
            Completions completions,
            int capacity,
            BooleanSupplier memory,
            Consumer<Claim> begun) {
        this.store = store;
        this.context = context;
        this.completions = completions;
        this.capacity = capacity;
        this.memory = memory;
        this.begun = begun;
        this.places = new Semaphore(capacity);
        this.dormants = new Dormants(context, this::wake);
    }

    /**
     * Runs {@code id} if it still waits to be run; a repeated or late message does nothing. A store that does not answer is
     * no loss: the execution stays pending and its job is sent again.
     */
    public void run(ExecutionId id) {
        String name = awaitPlace();
        if (name == null) {
            return;
        }
        if (runHere(id, dormants.answers(id), () -> true, name)) {
            dormants.forget(id);
        }
    }

    /** In a place that is taken, and given back if nothing comes of it; whether something does. */
    private boolean runHere(
            ExecutionId id,
            Map<Long, Optional<CompletionStage<ToolReply>>> inFlight,
            BooleanSupplier first,
            String name) {
        LiveExecution execution = execution(id, SecondChance.first(), inFlight);
        boolean entered = live.putIfAbsent(id, execution) == null;
        boolean begun = false;
        try {
            begun = entered && first.getAsBoolean() && begin(id, execution, name);
            return begun;
        } finally {
            if (entered && !begun) {
                live.remove(id);
            }
            if (!begun) {
                free();
            }
        }
    }

    /** Lets go on what answers have come for, as far as there are places. */
    private void wake() {
        String name = holder;
        while (name != null && dormants.anyAwake() && places.tryAcquire()) {
            give(name);
        }
    }

    /** Gives a place that is taken to the first that is to go on; whether there was one. */
    private boolean give(String name) {
        Optional<Dormant> next = dormants.next();
        next.ifPresentOrElse(dormant -> context.executor().execute(() -> goOn(dormant, name)), places::release);
        return next.isPresent();
    }

    private void goOn(Dormant dormant, String name) {
        BooleanSupplier woken = () -> {
            try {
                // Somebody else may have been first, and it still wait for its runner: who has the answers is the one.
                store.wake(dormant.fence(), ALONE);
                return true;
            } catch (StoreUnavailableException e) {
                LOG.log(Level.DEBUG, "{0} goes on later: {1}", dormant.fence(), e.getMessage());
                return false;
            }
        };
        if (!runHere(dormant.fence().id(), dormant.inFlight(), woken, name) && dormant.tries() > 0) {
            // The store may be away. If it has ended or another has it, this does nothing.
            context.scheduler()
                    .schedule(() -> dormants.add(dormant.failedOnce()), LATER.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Before those who wait for a place: what has begun ends first. */
    private void free() {
        String name = holder;
        if (name == null) {
            places.release();
        } else if (!give(name)) {
            wake();
        }
    }

    private LiveExecution execution(
            ExecutionId id, SecondChance chance, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight) {
        return new LiveExecution(id, context, chance, inFlight, new LiveExecution.Afterwards() {
            @Override
            public void over() {
                leave(id);
                completions.ended(id);
                passTurn(keyed.remove(id));
            }

            @Override
            public void gone() {
                keyed.remove(id);
                leave(id);
            }

            @Override
            public void dormant(Dormant dormant) {
                keyed.remove(id);
                leave(id);
                dormants.add(dormant);
            }

            @Override
            public void again(SecondChance next, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight) {
                runAgain(id, next, inFlight);
            }
        });
    }

    /** In the place it has: what it lost its worker for is no reason to queue once more. */
    private void runAgain(
            ExecutionId id, SecondChance chance, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight) {
        LiveExecution execution = execution(id, chance, inFlight);
        String name = holder;
        live.put(id, execution);
        boolean begun = false;
        try {
            begun = open && name != null && begin(id, execution, name);
        } finally {
            if (!begun) {
                // It waits for whoever claims it next, or somebody has it by now.
                keyed.remove(id);
                leave(id);
            }
        }
    }

    /**
     * Whether it could be claimed.
     *
     * @param name the holder's, from before it was entered as live: a {@link #stop} since then found it there, and if it
     *     came before this look it is seen, otherwise what is claimed is held in a name that has no lease any more
     */
    private boolean begin(ExecutionId id, LiveExecution execution, String name) {
        if (!name.equals(holder)) {
            return false;
        }
        Optional<Claim> claim = Optional.empty();
        Instant asked = context.clock().instant();
        try {
            claim = store.claim(id, name);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.WARNING, "execution {0} could not be claimed: {1}", id, e.getMessage());
        }
        Instant answered = context.clock().instant();
        claim.ifPresent(claimed -> {
            Failpoint.CLAIMED.reached(id);
            claimed.concurrencyKey().ifPresent(key -> keyed.put(id, claimed));
            begun.accept(claimed);
            execution.begin(claimed, name, ahead(claimed.now(), asked, answered));
        });
        return claim.isPresent();
    }

    /** By how much the store's clock is ahead of this node's, as far as the answer did not only take its time. */
    private static Duration ahead(Instant told, Instant asked, Instant answered) {
        if (told.isBefore(asked)) {
            return Duration.between(asked, told);
        }
        return told.isAfter(answered) ? Duration.between(answered, told) : Duration.ZERO;
    }

    private void passTurn(@Nullable Claim ended) {
        if (ended != null) {
            ended.concurrencyKey().ifPresent(key -> turnOver.accept(ended.tenant(), key));
        }
    }

    /**
     * Has {@code listener} told the tenant and the key when an execution with a concurrency key has ended here: it must not block. At
     * most one, set at the start.
     */
    public void tellTurns(BiConsumer<String, String> listener) {
        turnOver = listener;
    }

    /** The name to claim in, once there is a place and a lease; null when nothing is to be taken. */
    private @Nullable String awaitPlace() {
        try {
            while (open) {
                String name = holder;
                if (name == null) {
                    // The job stays here rather than with the broker, who would only bring it again.
                    TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                } else if (shortOfMemory && live.size() >= FEWEST) {
                    TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                } else if (places.tryAcquire() || awaitFreePlace()) {
                    return name;
                }
            }
            // Whoever comes now is not run here. It stays, so that those behind it are left to other nodes, and is sent
            // again.
            while (!gone) {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    private boolean awaitFreePlace() throws InterruptedException {
        takers.incrementAndGet();
        try {
            return places.tryAcquire(POLL_MILLIS, TimeUnit.MILLISECONDS);
        } finally {
            takers.decrementAndGet();
        }
    }

    private void leave(ExecutionId id) {
        if (live.remove(id) != null) {
            free();
        }
    }

    @Override
    public void resume(String name) {
        holder = name;
    }

    @Override
    public void stop() {
        holder = null;
        dormants.clear();
        live.forEach((id, execution) -> {
            try {
                execution.abandon();
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "execution " + id + " could not be stopped in good order", e);
            }
        });
    }

    /** In whose name executions are taken now; empty while none may be. */
    Optional<String> holder() {
        return Optional.ofNullable(holder);
    }

    /** Stops {@code id} if it runs here; whether it does. */
    public boolean cancel(ExecutionId id) {
        LiveExecution execution = live.get(id);
        if (execution == null) {
            return dormants.withdraw(id);
        }
        execution.stop(Stop.CANCEL);
        return true;
    }

    /** What runs here may wait for people who have decided meanwhile. */
    void look() {
        shortOfMemory = memory.getAsBoolean();
        // Not for a moment: each that is parked costs a commit, and a run from its beginning.
        boolean crowded = takers.get() > 0;
        if (shortOfMemory || (crowded && crowdedBefore)) {
            hurry();
        }
        crowdedBefore = crowded;
        live.values().forEach(LiveExecution::look);
        wake();
    }

    /** Some at a time: the place of one may serve many others. */
    private void hurry() {
        int left = Math.max(2, capacity / SOME);
        for (LiveExecution execution : live.values()) {
            if (left == 0) {
                return;
            }
            left -= execution.hurry() ? 1 : 0;
        }
    }

    /** Tells how runs fare. */
    public RunWatch watch() {
        return context.watch();
    }

    /** Executions in memory. */
    public int liveCount() {
        return live.size();
    }

    /** Executions that could still be taken. */
    public int freePlaces() {
        return places.availablePermits();
    }

    /** Whether {@code id} is in memory here. */
    boolean holds(ExecutionId id) {
        return live.containsKey(id);
    }

    /**
     * Takes no more; waits up to {@code graceMillis} for what runs, then stops it. What has effects at tools by then has as
     * long again to be answered: whoever goes on could not ask again.
     */
    public void close(long graceMillis) {
        open = false;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(graceMillis);
        awaitAnswers(end);
        if (!drained(Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())))) {
            List.copyOf(live.values()).forEach(execution -> execution.shutDown(Duration.ofMillis(graceMillis)));
            drained(graceMillis + 3_000);
        }
    }

    /** After {@link #close}: whoever still brings an execution is let go, and it is not run. */
    public void letGo() {
        gone = true;
    }

    private void awaitAnswers(long end) {
        try {
            while (!dormants.isEmpty() && System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        dormants.clear();
    }

    private boolean drained(long millis) {
        try {
            if (places.tryAcquire(capacity, millis, TimeUnit.MILLISECONDS)) {
                places.release(capacity);
                return true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }
}
