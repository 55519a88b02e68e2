package org.sallyport.submission;

import java.util.Comparator;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Set;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.PendingJob;

/** The jobs of one tenant in a {@link FairQueue}: higher priorities first, then as they came. Not thread-safe. */
final class TenantLine {
    private final int weight;
    private final PriorityQueue<Place> places = new PriorityQueue<>(
            Comparator.comparingInt((Place place) -> -place.job().priority()).thenComparingLong(Place::number));
    private final Set<ExecutionId> ids = new HashSet<>();
    private long numbers;
    private int takenInTurn;
    /** Messages that wait in the broker, as far as this node knows; and of them, those that were sent ahead. */
    private int sent;

    private int ahead;
    private long lastSent;

    private record Place(PendingJob job, long number) {}

    TenantLine(int weight) {
        this.weight = weight;
    }

    void add(PendingJob job) {
        places.add(new Place(job, numbers++));
        ids.add(job.id());
    }

    boolean holds(ExecutionId id) {
        return ids.contains(id);
    }

    int held() {
        return places.size();
    }

    /** Whether so few of its messages are ahead of the others that one more may be. */
    boolean mayGoAhead() {
        return ahead < weight;
    }

    /** Begins or goes on with its turn; whether that is over with the next that is taken. */
    boolean turn() {
        takenInTurn = takenInTurn % weight + 1;
        return takenInTurn == weight;
    }

    PendingJob take(long now, boolean goesAhead) {
        if (goesAhead) {
            ahead = Math.min(ahead, weight - 1) + 1;
        }
        PendingJob job = places.remove().job();
        ids.remove(job.id());
        sent++;
        lastSent = now;
        return job;
    }

    /** One of its messages does not wait in the broker any more: those ahead go first. */
    void left() {
        sent = Math.max(0, sent - 1);
        ahead = Math.max(0, ahead - 1);
    }

    void noneAhead() {
        ahead = 0;
    }

    void nothingSent() {
        sent = 0;
        ahead = 0;
    }

    boolean idle() {
        return sent == 0 && places.isEmpty();
    }

    boolean quietSince(long then) {
        return lastSent - then < 0;
    }
}
