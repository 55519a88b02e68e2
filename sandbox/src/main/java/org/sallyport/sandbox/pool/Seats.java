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

/** The workers there are: finds the one for a task, and those to part with. Guarded by the lock of the placement. */
final class Seats {
    private final WorkerSettings settings;
    private final Map<Worker, Seat> seats = new LinkedHashMap<>();

    Seats(WorkerSettings settings) {
        this.settings = settings;
    }

    void add(Worker worker) {
        seats.put(worker, new Seat());
    }

    @Nullable Seat get(Worker worker) {
        return seats.get(worker);
    }

    /** That of a worker that is known to have one. */
    Seat of(Worker worker) {
        return Objects.requireNonNull(seats.get(worker));
    }

    @Nullable Seat remove(Worker worker) {
        return seats.remove(worker);
    }

    boolean isEmpty() {
        return seats.isEmpty();
    }

    List<Worker> workers() {
        return List.copyOf(seats.keySet());
    }

    int count(Predicate<Seat> fit) {
        return (int) seats.values().stream().filter(fit).count();
    }

    int load() {
        return seats.values().stream().mapToInt(seat -> seat.load).sum();
    }

    /** Workers that may be started: those that only end what they have do not keep others from starting. */
    int room() {
        int leaving = count(seat -> seat.leaving);
        return settings.maxWorkers() - seats.size() + Math.min(leaving, settings.maxWorkers());
    }

    /** The one that computes least, then the least loaded, of those that fit and can take a task; null when there is none. */
    @Nullable Worker least(Predicate<Seat> fit) {
        return seats.entrySet().stream()
                .filter(entry -> fit.test(entry.getValue()))
                .filter(entry -> entry.getValue().ready
                        && !entry.getValue().leaving
                        && entry.getValue().load < settings.sessionsPerWorker())
                .min(Comparator.<Map.Entry<Worker, Seat>>comparingInt(
                                entry -> entry.getKey().computing())
                        .thenComparingInt(entry -> entry.getValue().load))
                .map(Map.Entry::getKey)
                .orElse(null);
    }

    /** Parts with a worker that does nothing, of a tenant that does not wait; null when there is none. */
    @Nullable Worker retireIdle(Set<String> waiting) {
        for (Map.Entry<Worker, Seat> entry : seats.entrySet()) {
            Seat seat = entry.getValue();
            if (seat.ready && !seat.leaving && seat.load == 0 && !waiting.contains(seat.tenant)) {
                seat.leaving = true;
                return entry.getKey();
            }
        }
        return null;
    }

    /**
     * A tenant that waits and has no worker gets one in place of one of the tenant that has most: otherwise a tenant
     * that is never idle would keep all others out.
     */
    void retireFor(Set<String> waiting) {
        Map<String, Long> held = seats.values().stream()
                .filter(seat -> seat.tenant != null && !seat.leaving)
                .collect(Collectors.groupingBy(seat -> String.valueOf(seat.tenant), Collectors.counting()));
        boolean possible = count(seat -> seat.leaving) < settings.maxWorkers();
        if (settings.share() == Share.TENANT && possible && !held.keySet().containsAll(waiting)) {
            seats.values().stream()
                    .filter(seat -> seat.ready && seat.tenant != null && !seat.leaving)
                    .max(Comparator.<Seat>comparingLong(seat -> held.getOrDefault(String.valueOf(seat.tenant), 0L))
                            .thenComparingInt(seat -> -seat.load))
                    .ifPresent(seat -> seat.leaving = true);
        }
    }

    /** Lets those that are old or worn take no more tasks; gives those of all such that do nothing. */
    List<Worker> retireWorn(long now) {
        List<Worker> idle = new ArrayList<>();
        seats.forEach((worker, seat) -> {
            seat.leaving = seat.leaving || (seat.ready && worn(worker, seat, now));
            if (seat.leaving && seat.load == 0) {
                idle.add(worker);
            }
        });
        return idle;
    }

    boolean worn(Worker worker, Seat seat, long now) {
        return worker.wantsReplacement()
                || seat.tasks >= settings.recycleAfterSessions()
                || now - seat.since > settings.recycleAfter().toNanos();
    }
}
