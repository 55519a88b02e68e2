package org.sallyport.sandbox.pool;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The slots of all workers: finds the worker for a task and the workers to retire. Guarded by the lock of {@code
 * WorkerScheduler}.
 */
final class WorkerSlots {
    private final WorkerSettings settings;
    private final Map<Worker, WorkerSlot> slots = new LinkedHashMap<>();

    WorkerSlots(WorkerSettings settings) {
        this.settings = settings;
    }

    /** @param forOneTask whether the worker takes a single task, which shares it with no other */
    void add(Worker worker, boolean forOneTask) {
        slots.put(worker, new WorkerSlot(forOneTask));
    }

    @Nullable WorkerSlot get(Worker worker) {
        return slots.get(worker);
    }

    /** Returns the slot of a worker that is known to have one. */
    WorkerSlot requireSlot(Worker worker) {
        return Objects.requireNonNull(slots.get(worker));
    }

    @Nullable WorkerSlot remove(Worker worker) {
        return slots.remove(worker);
    }

    boolean isEmpty() {
        return slots.isEmpty();
    }

    List<Worker> workers() {
        return List.copyOf(slots.keySet());
    }

    int count(Predicate<WorkerSlot> fit) {
        return (int) slots.values().stream().filter(fit).count();
    }

    int totalLoad() {
        return slots.values().stream().mapToInt(seat -> seat.load).sum();
    }

    /**
     * Returns how many workers for shared tasks may be started. Retiring workers do not block new ones, up to the
     * maximum number of workers.
     */
    int remainingCapacity() {
        int sharing = count(seat -> !seat.forOneTask);
        int leaving = count(WorkerSlot::isLeaving);
        return settings.maxWorkers() - sharing + Math.min(leaving, settings.maxWorkers());
    }

    /** Returns how many workers for one task may be started: half as many as workers for shared tasks, at least one. */
    int remainingCapacityForOneTask() {
        return Math.max(1, settings.maxWorkers() / 2) - count(seat -> seat.forOneTask);
    }

    /**
     * Returns, among the matching workers that can take a task, the one with the fewest computing sessions, then the
     * lowest load; null when there is none.
     */
    @Nullable Worker findLeastLoaded(Predicate<WorkerSlot> fit) {
        return slots.entrySet().stream()
                .filter(entry -> fit.test(entry.getValue()))
                .filter(entry -> entry.getValue().ready
                        && !entry.getValue().retiring
                        && entry.getValue().load < settings.maxLiveSessionsPerWorker())
                .min(Comparator.<Map.Entry<Worker, WorkerSlot>>comparingInt(
                                entry -> entry.getKey().computingCount())
                        .thenComparingInt(entry -> entry.getValue().load))
                .map(Map.Entry::getKey)
                .orElse(null);
    }

    /** Assigns a task of a tenant to the worker; returns the worker. */
    Worker assign(Worker worker, String tenant) {
        WorkerSlot seat = requireSlot(worker);
        seat.tenant = tenant;
        seat.load++;
        seat.assignedTasks++;
        return worker;
    }

    /** Assigns a task of a tenant to a worker for one task; returns the worker. */
    Worker assignAlone(Worker worker, String tenant) {
        requireSlot(worker).retiring = true;
        return assign(worker, tenant);
    }

    /** Retires and returns an idle worker of a tenant that is not waiting; null when there is none. */
    @Nullable Worker retireIdle(Set<String> waiting) {
        for (Map.Entry<Worker, WorkerSlot> entry : slots.entrySet()) {
            WorkerSlot seat = entry.getValue();
            if (seat.ready && !seat.forOneTask && !seat.retiring && seat.load == 0 && !waiting.contains(seat.tenant)) {
                seat.retiring = true;
                return entry.getKey();
            }
        }
        return null;
    }

    /**
     * Retires a worker of the tenant that holds the most workers, in favor of a waiting tenant that has none. Otherwise
     * a tenant that is never idle would block all others.
     */
    void retireForWaitingTenant(Set<String> waiting) {
        Map<String, Long> held = slots.values().stream()
                .filter(seat -> seat.tenant != null && !seat.retiring)
                .collect(Collectors.groupingBy(seat -> String.valueOf(seat.tenant), Collectors.counting()));
        boolean possible = count(WorkerSlot::isLeaving) < settings.maxWorkers();
        if (settings.sharing() == WorkerSharing.TENANT
                && possible
                && !held.keySet().containsAll(waiting)) {
            slots.values().stream()
                    .filter(seat -> seat.ready && seat.tenant != null && !seat.retiring)
                    .max(Comparator.<WorkerSlot>comparingLong(
                                    seat -> held.getOrDefault(String.valueOf(seat.tenant), 0L))
                            .thenComparingInt(seat -> -seat.load))
                    .ifPresent(seat -> seat.retiring = true);
        }
    }

    /** Retires the workers for one task whose task was withdrawn while they started. */
    void retireUnusedForOneTask() {
        slots.values().stream().filter(seat -> seat.forOneTask && seat.ready).forEach(seat -> seat.retiring = true);
    }

    /** Retires old and worn workers; returns all retiring workers that have no tasks. */
    List<Worker> retireDueForRecycling(long now) {
        List<Worker> idle = new ArrayList<>();
        slots.forEach((worker, seat) -> {
            seat.retiring = seat.retiring || (seat.ready && isDueForRecycling(worker, seat, now));
            if (seat.retiring && seat.load == 0) {
                idle.add(worker);
            }
        });
        return idle;
    }

    boolean isDueForRecycling(Worker worker, WorkerSlot seat, long now) {
        return worker.needsReplacement()
                || seat.assignedTasks >= settings.maxTotalSessionsPerWorker()
                || now - seat.createdNanos > settings.maxWorkerAge().toNanos();
    }
}
