package org.sallyport.runner;

import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolReply;

/**
 * Parked executions whose tool replies arrive at this node, and the queue of those ready to resume. Holds their pending
 * replies, but no session and no thread. Thread-safe.
 */
final class ParkedRuns {
    private final EngineServices context;
    private final Runnable onReady;
    private final Map<ExecutionId, ParkedRunEntry> entries = new ConcurrentHashMap<>();
    private final Queue<ParkedRunEntry> readyEntries = new ConcurrentLinkedQueue<>();

    private static final class ParkedRunEntry {
        private final ParkedRun run;
        private volatile @Nullable ScheduledFuture<?> timer;

        ParkedRunEntry(ParkedRun dormant) {
            this.run = dormant;
        }

        ExecutionId id() {
            return run.fence().id();
        }

        ParkedRun cancelTimer() {
            ScheduledFuture<?> pending = timer;
            if (pending != null) {
                pending.cancel(false);
            }
            return run;
        }
    }

    /** @param ready called when an execution is ready to resume; must not block */
    ParkedRuns(EngineServices context, Runnable ready) {
        this.context = context;
        this.onReady = ready;
    }

    /** Adds a parked execution. It becomes ready when its maximum wait is over or when a reply arrives. */
    void add(ParkedRun dormant) {
        ParkedRunEntry entry = new ParkedRunEntry(dormant);
        entries.put(entry.id(), entry);
        entry.timer = context.scheduler()
                .schedule(() -> markReady(entry), Math.max(1, dormant.maxWait().toMillis()), TimeUnit.MILLISECONDS);
        dormant.inFlight()
                .values()
                .forEach(answer -> answer.ifPresent(coming -> coming.thenRun(() -> markReady(entry))));
    }

    private void markReady(ParkedRunEntry entry) {
        if (entries.get(entry.id()) == entry) {
            readyEntries.add(entry);
            onReady.run();
        }
    }

    /** Removes and returns the next execution that is ready to resume; empty when there is none. */
    Optional<ParkedRun> pollReady() {
        for (ParkedRunEntry entry = readyEntries.poll(); entry != null; entry = readyEntries.poll()) {
            if (entries.remove(entry.id(), entry)) {
                return Optional.of(entry.cancelTimer());
            }
        }
        return Optional.empty();
    }

    boolean hasReady() {
        return !readyEntries.isEmpty();
    }

    /** Returns the pending replies of an execution; an empty map if it is not parked here. */
    Map<Long, Optional<CompletionStage<ToolReply>>> inFlight(ExecutionId id) {
        ParkedRunEntry entry = entries.get(id);
        return entry == null ? Map.of() : entry.run.inFlight();
    }

    /** Removes an execution that is resumed or will never be. */
    void remove(ExecutionId id) {
        ParkedRunEntry entry = entries.remove(id);
        if (entry != null) {
            entry.cancelTimer();
        }
    }

    /** Removes a cancelled execution and cancels its calls. Returns whether it was parked here. */
    boolean cancel(ExecutionId id) {
        ParkedRunEntry entry = entries.remove(id);
        if (entry == null) {
            return false;
        }
        entry.cancelTimer().inFlight().forEach((call, answer) -> {
            if (answer.isPresent()) {
                context.bridge().cancel(new CallId(id.toString(), call));
            }
        });
        return true;
    }

    /** Removes all executions; other nodes resume them. */
    void clear() {
        entries.keySet().forEach(this::remove);
        readyEntries.clear();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }
}
