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
 * Parked executions whose answers come to this node, and those of them that are to go on. Holds their answers, no session
 * and no thread. Thread-safe.
 */
final class ParkedRuns {
    private final EngineServices context;
    private final Runnable onReady;
    private final Map<ExecutionId, ParkedRunEntry> entries = new ConcurrentHashMap<>();
    private final Queue<ParkedRunEntry> readyEntries = new ConcurrentLinkedQueue<>();

    /** One of them. */
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

    /** @param ready told that one is to go on; must not block */
    ParkedRuns(EngineServices context, Runnable ready) {
        this.context = context;
        this.onReady = ready;
    }

    /** From now on it goes on when its time has come, or when an answer comes. */
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

    /** The next that is to go on, given out once. */
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

    /** What is still to come for an execution. */
    Map<Long, Optional<CompletionStage<ToolReply>>> inFlight(ExecutionId id) {
        ParkedRunEntry entry = entries.get(id);
        return entry == null ? Map.of() : entry.run.inFlight();
    }

    /** It goes on, or never will. */
    void remove(ExecutionId id) {
        ParkedRunEntry entry = entries.remove(id);
        if (entry != null) {
            entry.cancelTimer();
        }
    }

    /** It was cancelled: withdraws its calls; whether it was here. */
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

    /** Others let them go on. */
    void clear() {
        entries.keySet().forEach(this::remove);
        readyEntries.clear();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }
}
