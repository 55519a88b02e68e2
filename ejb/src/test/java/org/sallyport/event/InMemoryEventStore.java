package org.sallyport.event;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.FencingToken;
import org.sallyport.tool.Json;

/** In-memory {@link EventStore} that fulfills the contract. */
public class InMemoryEventStore implements EventStore {
    private record StoredEvent(String tenant, FencingToken fence, long call, ScriptEvent event) {}

    private final Predicate<FencingToken> fenceCheck;
    private final List<StoredEvent> stored = new ArrayList<>();

    /** @param holds whether a fencing token still owns its execution */
    public InMemoryEventStore(Predicate<FencingToken> holds) {
        this.fenceCheck = holds;
    }

    @Override
    public synchronized Optional<EmittedEvent> emit(
            String tenant, FencingToken fence, long call, String name, Json data) {
        if (!fenceCheck.test(fence)) {
            return Optional.empty();
        }
        for (StoredEvent each : stored) {
            if (each.fence().id().equals(fence.id()) && each.call() == call) {
                return emitted(each.event().seq());
            }
        }
        ScriptEvent event = new ScriptEvent(lastSeq(tenant) + 1, name, data);
        stored.add(new StoredEvent(tenant, fence, call, event));
        return emitted(event.seq());
    }

    private static Optional<EmittedEvent> emitted(long seq) {
        return Optional.of(new EmittedEvent(seq, false));
    }

    @Override
    public List<ExecutionJob> resumeParked(String tenant, String name, long seq, int limit) {
        return List.of();
    }

    @Override
    public List<ExecutionJob> resumeMissed(int limit) {
        return List.of();
    }

    @Override
    public synchronized Optional<ScriptEvent> findFirstAfter(String tenant, Collection<String> names, long after) {
        return stored.stream()
                .filter(each -> each.tenant().equals(tenant))
                .map(StoredEvent::event)
                .filter(event -> event.seq() > after && names.contains(event.name()))
                .findFirst();
    }

    @Override
    public synchronized long lastSeq(String tenant) {
        return stored.stream()
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
