package org.sallyport.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Together;
import org.sallyport.tool.Json;

/** What every store of events must do. Each test finds the store empty. */
public abstract class EventStoreContract {
    private static final String TENANT = "tenant-a";

    protected abstract EventStore events();

    protected abstract ExecutionStore store();

    private Fence running() {
        NewExecution execution = anExecution().build();
        store().accept(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence();
    }

    private OptionalLong emit(Fence fence, long call, String name, String data) {
        return events().emit(TENANT, fence, call, name, new Json(data)).stream()
                .mapToLong(EventStore.Emitted::seq)
                .findFirst();
    }

    @Test
    void eventsAreNumberedByTenantAndFoundByName() {
        Fence fence = running();
        assertThat(events().last(TENANT)).isZero();
        assertThat(emit(fence, 1, "a", "{\"x\":1.0}")).hasValue(1);
        assertThat(emit(fence, 2, "b\u0000", "2")).hasValue(2);
        assertThat(events().emit("tenant-b", fence, 3, "a", new Json("3"))).contains(new EventStore.Emitted(1, false));
        assertThat(events().last(TENANT)).isEqualTo(2);
        assertThat(events().firstAfter(TENANT, List.of("a", "b\u0000"), 0))
                .contains(new Event(1, "a", new Json("{\"x\":1.0}")));
        assertThat(events().firstAfter(TENANT, List.of("a", "b\u0000"), 1))
                .contains(new Event(2, "b\u0000", new Json("2")));
        assertThat(events().firstAfter(TENANT, List.of("a"), 1)).isEmpty();
        assertThat(events().firstAfter("tenant-c", List.of("a"), 0)).isEmpty();
    }

    @Test
    void theSameCallEmitsOnce() {
        Fence fence = running();
        assertThat(emit(fence, 4, "a", "null")).hasValue(1);
        assertThat(emit(fence, 4, "a", "null")).hasValue(1);
        assertThat(events().last(TENANT)).isEqualTo(1);
    }

    @Test
    void manyAtOnceGetEveryNumberOnce() throws Exception {
        Fence fence = running();
        List<OptionalLong> numbers = new ArrayList<>(Together.run(24, n -> emit(fence, n, "a", "" + n)));
        assertThat(numbers.stream().mapToLong(OptionalLong::getAsLong).sorted())
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 24).boxed().toList());
    }

    @Test
    void whoLostTheExecutionEmitsNothing() {
        Fence fence = running();
        assertThat(events().emit(TENANT, new Fence(fence.id(), 9), 1, "a", Json.NULL))
                .isEmpty();
        assertThat(events().last(TENANT)).isZero();
    }

    @Test
    void oldEventsAreForgottenButNotTheirNumbers() {
        Fence fence = running();
        events().emit(TENANT, fence, 1, "a", Json.NULL);
        assertThat(events().purge(Duration.ofHours(1), 10)).isZero();
        assertThat(events().purge(Duration.ofMillis(-1_000), 10)).isEqualTo(1);
        assertThat(events().firstAfter(TENANT, List.of("a"), 0)).isEmpty();
        assertThat(emit(fence, 2, "a", "null")).hasValue(2);
    }
}
