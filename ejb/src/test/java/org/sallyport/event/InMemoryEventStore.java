package org.sallyport.event;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.tool.Json;

/** In-memory {@link EventStore} that fulfills the contract. */
public class InMemoryEventStore implements EventStore {
    private record StoredEvent(
            String tenant,
            Optional<FencingToken> fence,
            long call,
            Optional<ExternalEvent> external,
            PublishedEvent published) {
        ScriptEvent event() {
            return published.event();
        }

        boolean isOfCall(FencingToken other, long ordinal) {
            return call == ordinal
                    && fence.filter(own -> own.id().equals(other.id())).isPresent();
        }

        Optional<IdempotencyKey> key() {
            return external.flatMap(ExternalEvent::idempotency);
        }
    }

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
            if (each.isOfCall(fence, call)) {
                return emitted(each.event().seq());
            }
        }
        ScriptEvent event = new ScriptEvent(lastSeq(tenant) + 1, name, data);
        stored.add(new StoredEvent(
                tenant,
                Optional.of(fence),
                call,
                Optional.empty(),
                new PublishedEvent(event, Instant.EPOCH, Optional.empty())));
        return emitted(event.seq());
    }

    @Override
    public synchronized ExternalEmitResult emitExternal(String tenant, ExternalEvent external) {
        for (StoredEvent each : stored) {
            Optional<IdempotencyKey> earlier = each.key()
                    .filter(key -> each.tenant().equals(tenant)
                            && external.idempotency()
                                    .filter(own -> own.key().equals(key.key()))
                                    .isPresent());
            if (earlier.isPresent()) {
                return earlier.equals(external.idempotency())
                        ? new ExternalEmitResult.ExternalEventStored(
                                each.event().seq(), each.event().name(), false, true)
                        : new ExternalEmitResult.EventKeyConflict();
            }
        }
        ScriptEvent event = new ScriptEvent(lastSeq(tenant) + 1, external.name(), external.data());
        stored.add(new StoredEvent(
                tenant,
                Optional.empty(),
                0,
                Optional.of(external),
                new PublishedEvent(event, Instant.EPOCH, Optional.of(external.emittedBy()))));
        return new ExternalEmitResult.ExternalEventStored(event.seq(), event.name(), false, false);
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
    public synchronized Optional<PublishedEvent> findNext(String tenant, Collection<String> names, long after) {
        return stored.stream()
                .filter(each -> each.tenant().equals(tenant)
                        && each.event().seq() > after
                        && (names.isEmpty() || names.contains(each.event().name())))
                .map(StoredEvent::published)
                .findFirst();
    }

    @Override
    public OptionalLong firstSeqAfter(String tenant, long after) {
        return findNext(tenant, List.of(), after)
                .map(found -> OptionalLong.of(found.event().seq()))
                .orElseGet(OptionalLong::empty);
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
