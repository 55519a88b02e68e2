package org.sallyport.event;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.sallyport.execution.Fence;
import org.sallyport.execution.PendingJob;
import org.sallyport.tool.Json;

/** Events in memory, as the contract wants them. */
public class MemoryEvents implements EventStore {
    private record Kept(String tenant, Fence fence, long call, Event event) {}

    private final Predicate<Fence> holds;
    private final List<Kept> kept = new ArrayList<>();

    /** @param holds whether a fence still holds its execution */
    public MemoryEvents(Predicate<Fence> holds) {
        this.holds = holds;
    }

    @Override
    public synchronized Optional<Emitted> emit(String tenant, Fence fence, long call, String name, Json data) {
        if (!holds.test(fence)) {
            return Optional.empty();
        }
        for (Kept each : kept) {
            if (each.fence().id().equals(fence.id()) && each.call() == call) {
                return emitted(each.event().seq());
            }
        }
        Event event = new Event(last(tenant) + 1, name, data);
        kept.add(new Kept(tenant, fence, call, event));
        return emitted(event.seq());
    }

    private static Optional<Emitted> emitted(long seq) {
        return Optional.of(new Emitted(seq, false));
    }

    @Override
    public List<PendingJob> wake(String tenant, String name, long seq, int limit) {
        return List.of();
    }

    @Override
    public List<PendingJob> wakeMissed(int limit) {
        return List.of();
    }

    @Override
    public synchronized Optional<Event> firstAfter(String tenant, Collection<String> names, long after) {
        return kept.stream()
                .filter(each -> each.tenant().equals(tenant))
                .map(Kept::event)
                .filter(event -> event.seq() > after && names.contains(event.name()))
                .findFirst();
    }

    @Override
    public synchronized long last(String tenant) {
        return kept.stream()
                .filter(each -> each.tenant().equals(tenant))
                .mapToLong(each -> each.event().seq())
                .max()
                .orElse(0);
    }

    @Override
    public int purge(Duration age, int limit) {
        return 0;
    }
}
