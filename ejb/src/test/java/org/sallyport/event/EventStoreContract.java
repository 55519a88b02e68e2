package org.sallyport.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.tool.Json;

/** Contract of {@link EventStore}, for every implementation. Each test starts with an empty store. */
public abstract class EventStoreContract {
    private static final String TENANT = "tenant-a";

    protected abstract EventStore events();

    protected abstract ExecutionStore store();

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

    @Test
    void purgeRemovesOldEventsAndKeepsTheNumbering() {
        FencingToken fence = runningFence();
        events().emit(TENANT, fence, 1, "a", Json.NULL);
        assertThat(events().purge(Duration.ofHours(1), 10)).isZero();
        assertThat(events().purge(Duration.ofMillis(-1_000), 10)).isEqualTo(1);
        assertThat(events().findFirstAfter(TENANT, List.of("a"), 0)).isEmpty();
        assertThat(emit(fence, 2, "a", "null")).hasValue(2);
    }
}
