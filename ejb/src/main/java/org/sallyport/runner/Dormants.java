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
final class Dormants {
    private final RunContext context;
    private final Runnable ready;
    private final Map<ExecutionId, Entry> all = new ConcurrentHashMap<>();
    private final Queue<Entry> awake = new ConcurrentLinkedQueue<>();

    /** One of them. */
    private static final class Entry {
        private final Dormant dormant;
        private volatile @Nullable ScheduledFuture<?> alarm;

        Entry(Dormant dormant) {
            this.dormant = dormant;
        }

        ExecutionId id() {
            return dormant.fence().id();
        }

        Dormant over() {
            ScheduledFuture<?> pending = alarm;
            if (pending != null) {
                pending.cancel(false);
            }
            return dormant;
        }
    }

    /** @param ready told that one is to go on; must not block */
    Dormants(RunContext context, Runnable ready) {
        this.context = context;
        this.ready = ready;
    }

    /** From now on it goes on when its time has come, or when an answer comes. */
    void add(Dormant dormant) {
        Entry entry = new Entry(dormant);
        all.put(entry.id(), entry);
        entry.alarm = context.scheduler()
                .schedule(() -> wake(entry), Math.max(1, dormant.most().toMillis()), TimeUnit.MILLISECONDS);
        dormant.inFlight().values().forEach(answer -> answer.ifPresent(coming -> coming.thenRun(() -> wake(entry))));
    }

    private void wake(Entry entry) {
        if (all.get(entry.id()) == entry) {
            awake.add(entry);
            ready.run();
        }
    }

    /** The next that is to go on, given out once. */
    Optional<Dormant> next() {
        for (Entry entry = awake.poll(); entry != null; entry = awake.poll()) {
            if (all.remove(entry.id(), entry)) {
                return Optional.of(entry.over());
            }
        }
        return Optional.empty();
    }

    boolean anyAwake() {
        return !awake.isEmpty();
    }

    /** What is still to come for an execution. */
    Map<Long, Optional<CompletionStage<ToolReply>>> answers(ExecutionId id) {
        Entry entry = all.get(id);
        return entry == null ? Map.of() : entry.dormant.inFlight();
    }

    /** It goes on, or never will. */
    void forget(ExecutionId id) {
        Entry entry = all.remove(id);
        if (entry != null) {
            entry.over();
        }
    }

    /** It was cancelled: withdraws its calls; whether it was here. */
    boolean withdraw(ExecutionId id) {
        Entry entry = all.remove(id);
        if (entry == null) {
            return false;
        }
        entry.over().inFlight().forEach((call, answer) -> {
            if (answer.isPresent()) {
                context.bridge().cancel(new CallId(id.toString(), call));
            }
        });
        return true;
    }

    /** Others let them go on. */
    void clear() {
        all.keySet().forEach(this::forget);
        awake.clear();
    }

    boolean isEmpty() {
        return all.isEmpty();
    }
}
