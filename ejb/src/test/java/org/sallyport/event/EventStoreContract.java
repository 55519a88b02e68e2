package org.sallyport.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.tool.Json;

/** Contract of {@link EventStore}, for every implementation. Each test starts with an empty store. */
public abstract class EventStoreContract {
    private static final String TENANT = "tenant-a";

    protected abstract EventStore events();

    protected abstract ExecutionStore store();

    /** Sets the time of an event to {@code by} before the current time. */
    protected abstract void backdate(String tenant, long seq, Duration by) throws Exception;

    private FencingToken runningFence() {
        NewExecution execution = anExecution().build();
        store().insert(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence();
    }

    private OptionalLong emit(FencingToken fence, long call, String name, String data) {
        return events().emit(TENANT, fence, call, name, new Json(data)).stream()
                .mapToLong(EventStore.EmittedEvent::seq)
                .findFirst();
    }

    @Test
    void eventsAreNumberedPerTenantAndFoundByName() {
        FencingToken fence = runningFence();
        assertThat(events().lastSeq(TENANT)).isZero();
        assertThat(emit(fence, 1, "a", "{\"x\":1.0}")).hasValue(1);
        assertThat(emit(fence, 2, "b\u0000", "2")).hasValue(2);
        assertThat(events().emit("tenant-b", fence, 3, "a", new Json("3")))
                .contains(new EventStore.EmittedEvent(1, false));
        assertThat(events().lastSeq(TENANT)).isEqualTo(2);
        assertThat(events().findFirstAfter(TENANT, List.of("a", "b\u0000"), 0))
                .contains(new ScriptEvent(1, "a", new Json("{\"x\":1.0}")));
        assertThat(events().findFirstAfter(TENANT, List.of("a", "b\u0000"), 1))
                .contains(new ScriptEvent(2, "b\u0000", new Json("2")));
        assertThat(events().findFirstAfter(TENANT, List.of("a"), 1)).isEmpty();
        assertThat(events().findFirstAfter("tenant-c", List.of("a"), 0)).isEmpty();
    }

    @Test
    void repeatedCallEmitsOneEvent() {
        FencingToken fence = runningFence();
        assertThat(emit(fence, 4, "a", "null")).hasValue(1);
        assertThat(emit(fence, 4, "a", "null")).hasValue(1);
        assertThat(events().lastSeq(TENANT)).isEqualTo(1);
    }

    @Test
    void concurrentEmitsGetUniqueNumbers() throws Exception {
        FencingToken fence = runningFence();
        List<OptionalLong> numbers =
                new ArrayList<>(ConcurrencyTestUtil.runConcurrently(24, n -> emit(fence, n, "a", "" + n)));
        assertThat(numbers.stream().mapToLong(OptionalLong::getAsLong).sorted())
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 24).boxed().toList());
    }

    @Test
    void staleFenceEmitsNoEvent() {
        FencingToken fence = runningFence();
        assertThat(events().emit(TENANT, new FencingToken(fence.id(), 9), 1, "a", Json.NULL))
                .isEmpty();
        assertThat(events().lastSeq(TENANT)).isZero();
    }

    private static ExternalEvent external(String name, String data, String key, String body) {
        return new ExternalEvent(
                name,
                new Json(data),
                "key:\u0000sender",
                key.isEmpty() ? Optional.empty() : Optional.of(new IdempotencyKey(key, body)));
    }

    private static ExternalEmitResult stored(long seq, boolean replayed) {
        return stored(seq, "a", replayed);
    }

    private static ExternalEmitResult stored(long seq, String name, boolean replayed) {
        return new ExternalEmitResult.ExternalEventStored(seq, name, false, replayed);
    }

    @Test
    void externalEventsShareTheNumberingAndNameTheirEmitter() {
        FencingToken fence = runningFence();
        assertThat(emit(fence, 1, "a", "1")).hasValue(1);
        assertThat(events().emitExternal(TENANT, external("b\u0000", "{\"x\":1.0}", "", "")))
                .isEqualTo(stored(2, "b\u0000", false));
        assertThat(events().emitExternal("tenant-b", external("b", "2", "", "")))
                .isEqualTo(stored(1, "b", false));
        assertThat(events().findFirstAfter(TENANT, List.of("b\u0000"), 0))
                .contains(new ScriptEvent(2, "b\u0000", new Json("{\"x\":1.0}")));
        PublishedEvent second = events().findNext(TENANT, List.of(), 1).orElseThrow();
        assertThat(second.event().seq()).isEqualTo(2);
        assertThat(second.emittedBy()).contains("key:\u0000sender");
        PublishedEvent first = events().findNext(TENANT, List.of("a", "b"), 0).orElseThrow();
        assertThat(first.event()).isEqualTo(new ScriptEvent(1, "a", new Json("1")));
        assertThat(first.emittedBy()).isEmpty();
        assertThat(events().findNext(TENANT, List.of("a", "b"), 1)).isEmpty();
        assertThat(events().findNext(TENANT, List.of(), 2)).isEmpty();
        assertThat(emit(fence, 2, "a", "3")).hasValue(3);
    }

    @Test
    void externalEventIsStoredOnceForEachKey() {
        assertThat(events().emitExternal(TENANT, external("a", "1", "k1", "hash")))
                .isEqualTo(stored(1, false));
        assertThat(events().emitExternal(TENANT, external("a", "1", "k1", "hash")))
                .isEqualTo(stored(1, true));
        assertThat(events().emitExternal(TENANT, external("redacted since", "1", "k1", "hash")))
                .isEqualTo(stored(1, true));
        assertThat(events().emitExternal(TENANT, external("a", "2", "k1", "other")))
                .isEqualTo(new ExternalEmitResult.EventKeyConflict());
        assertThat(events().emitExternal(TENANT, external("a", "1", "k2", "hash")))
                .isEqualTo(stored(2, false));
        assertThat(events().emitExternal("tenant-b", external("a", "1", "k1", "other")))
                .isEqualTo(stored(1, false));
        assertThat(events().lastSeq(TENANT)).isEqualTo(2);
    }

    @Test
    void concurrentExternalEventsWithOneKeyAreOneEvent() throws Exception {
        List<ExternalEmitResult> results = new ArrayList<>(ConcurrencyTestUtil.runConcurrently(
                12, n -> events().emitExternal(TENANT, external("a", "1", "k", "hash"))));
        assertThat(results).containsOnly(stored(1, false), stored(1, true));
        assertThat(results).filteredOn(stored(1, false)::equals).hasSize(1);
        assertThat(events().lastSeq(TENANT)).isEqualTo(1);
    }

    @Test
    void firstStoredNumberShowsWhichEventsWereDeleted() {
        assertThat(events().firstSeqAfter(TENANT, 0)).isEmpty();
        events().emitExternal(TENANT, external("a", "1", "k", "hash"));
        events().emitExternal(TENANT, external("b", "1", "", ""));
        assertThat(events().firstSeqAfter(TENANT, 0)).hasValue(1);
        assertThat(events().purge(Duration.ofMillis(-1_000), 10)).isEqualTo(2);
        assertThat(events().firstSeqAfter(TENANT, 0)).isEmpty();
        assertThat(events().emitExternal(TENANT, external("a", "1", "k", "other")))
                .as("a key is free again when its event is deleted")
                .isEqualTo(stored(3, false));
        assertThat(events().firstSeqAfter(TENANT, 0)).hasValue(3);
        assertThat(events().firstSeqAfter(TENANT, 3)).isEmpty();
    }

    @Test
    void purgeRemovesOldEventsAndKeepsTheNumbering() {
        FencingToken fence = runningFence();
        events().emit(TENANT, fence, 1, "a", Json.NULL);
        assertThat(events().purge(Duration.ofHours(1), 10)).isZero();
        assertThat(events().purge(Duration.ofMillis(-1_000), 10)).isEqualTo(1);
        assertThat(events().findFirstAfter(TENANT, List.of("a"), 0)).isEmpty();
        assertThat(emit(fence, 2, "a", "null")).hasValue(2);
    }

    @Test
    void purgeDeletesTheLowestNumbersFirstSoThatNoHoleRemains() throws Exception {
        for (int i = 1; i <= 4; i++) {
            events().emitExternal(TENANT, external("a", "1", "", ""));
        }
        events().emitExternal("tenant-b", external("a", "1", "", ""));
        backdate(TENANT, 1, Duration.ofHours(2));
        backdate(TENANT, 2, Duration.ofHours(3));
        backdate(TENANT, 4, Duration.ofHours(4));
        assertThat(events().purge(Duration.ofHours(1), 1)).isEqualTo(1);
        assertThat(events().firstSeqAfter(TENANT, 0)).hasValue(2);
        assertThat(events().purge(Duration.ofHours(1), 10)).isEqualTo(1);
        assertThat(events().purge(Duration.ofHours(1), 10)).isZero();
        assertThat(events().firstSeqAfter(TENANT, 0)).hasValue(3);
        assertThat(events().firstSeqAfter(TENANT, 3))
                .as("kept until the event before it has expired")
                .hasValue(4);
        backdate(TENANT, 3, Duration.ofHours(2));
        backdate("tenant-b", 1, Duration.ofHours(2));
        assertThat(events().purge(Duration.ofHours(1), 10)).isEqualTo(3);
        assertThat(events().firstSeqAfter(TENANT, 0)).isEmpty();
    }
}
