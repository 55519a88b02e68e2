package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.sallyport.execution.Claim;
import org.sallyport.execution.Completions;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.runner.Outcomes.Stop;
import org.sallyport.tool.ToolReply;

/**
 * Takes executions and lets them run; returns as soon as the session is started. The number of live executions is bounded:
 * past the bound a taker waits for a place, so that jobs stay in the broker for nodes that have one.
 */
public final class Runner {
    private static final Logger LOG = System.getLogger(Runner.class.getName());
    private static final long POLL_MILLIS = 200;

    private final ExecutionStore store;
    private final RunContext context;
    private final Completions completions;
    private final String node;
    private final int capacity;
    private final Semaphore places;
    private final Map<ExecutionId, LiveExecution> live = new ConcurrentHashMap<>();
    private volatile boolean open = true;

    /**
     * @param node the incarnation of this node
     * @param capacity live executions at most
     */
    public Runner(ExecutionStore store, RunContext context, Completions completions, String node, int capacity) {
        this.store = store;
        this.context = context;
        this.completions = completions;
        this.node = node;
        this.capacity = capacity;
        this.places = new Semaphore(capacity);
    }

    /**
     * Runs {@code id} if it still waits to be run; a repeated or late message does nothing. A store that does not answer is
     * no loss: the execution stays pending and its job is sent again.
     */
    public void run(ExecutionId id) {
        if (!awaitPlace()) {
            return;
        }
        LiveExecution execution = execution(id, SecondChance.first(), Map.of());
        if (live.putIfAbsent(id, execution) != null) {
            places.release();
            return;
        }
        boolean begun = false;
        try {
            begun = begin(id, execution);
        } finally {
            if (!begun) {
                live.remove(id);
                places.release();
            }
        }
    }

    private LiveExecution execution(
            ExecutionId id, SecondChance chance, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight) {
        return new LiveExecution(id, context, chance, inFlight, new LiveExecution.Afterwards() {
            @Override
            public void over() {
                leave(id);
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
        live.put(id, execution);
        if (!open || !begin(id, execution)) {
            // It waits for whoever claims it next, or somebody has it by now.
            leave(id);
        }
    }

    /** Whether it could be claimed. */
    private boolean begin(ExecutionId id, LiveExecution execution) {
        Optional<Claim> claim = Optional.empty();
        try {
            claim = store.claim(id, node);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.WARNING, "execution {0} could not be claimed: {1}", id, e.getMessage());
        }
        claim.ifPresent(execution::begin);
        return claim.isPresent();
    }

    private boolean awaitPlace() {
        try {
            while (open) {
                if (places.tryAcquire(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                    return true;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private void leave(ExecutionId id) {
        if (live.remove(id) != null) {
            places.release();
        }
        completions.ended(id);
    }

    /** Stops {@code id} if it runs here; whether it does. */
    public boolean cancel(ExecutionId id) {
        LiveExecution execution = live.get(id);
        if (execution == null) {
            return false;
        }
        execution.stop(Stop.CANCEL);
        return true;
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

    /** Takes no more; waits up to {@code graceMillis} for what runs, then stops it. */
    public void close(long graceMillis) {
        open = false;
        if (!drained(graceMillis)) {
            List.copyOf(live.values()).forEach(execution -> execution.stop(Stop.SHUTDOWN));
            drained(3_000);
        }
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
