package org.sallyport.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.store.jpa.CommitFaults;
import org.sallyport.store.jpa.CommitFaults.CommitFault;
import org.sallyport.tool.Json;

/**
 * Contract of {@link EventStore} for commits that the store does not answer: each event is stored once, whether the
 * first commit succeeded, failed, or succeeds after the write was repeated. Each test starts with an empty store.
 */
public abstract class EventLostAnswerContract {
    private static final String TENANT = "tenant-a";

    protected abstract EventStore events();

    protected abstract ExecutionStore store();

    protected abstract CommitFaults faults();

    private FencingToken running() {
        NewExecution execution = anExecution().build();
        store().insert(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence();
    }

    private void assertOneEvent() {
        assertThat(events().lastSeq(TENANT)).isEqualTo(1);
        assertThat(events().findFirstAfter(TENANT, List.of("paid"), 0))
                .contains(new ScriptEvent(1, "paid", new Json("7")));
        assertThat(events().findFirstAfter(TENANT, List.of("paid"), 1)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void eventOfAScriptIsEmittedOnce(CommitFault commitFault) throws Exception {
        FencingToken fence = running();

        Optional<EventStore.EmittedEvent> repeated =
                faults().repeatAfter(commitFault, () -> events().emit(TENANT, fence, 1, "paid", new Json("7")));

        assertThat(repeated).contains(new EventStore.EmittedEvent(1, false));
        assertOneEvent();
    }

    @ParameterizedTest
    @EnumSource
    void externalEventWithAKeyIsEmittedOnce(CommitFault commitFault) throws Exception {
        ExternalEvent event =
                new ExternalEvent("paid", new Json("7"), "key:1", Optional.of(new IdempotencyKey("k", "hash")));

        ExternalEmitResult repeated = faults().repeatAfter(commitFault, () -> events().emitExternal(TENANT, event));

        assertThat(repeated)
                .isEqualTo(new ExternalEmitResult.ExternalEventStored(
                        1, "paid", false, commitFault != CommitFault.NOT_COMMITTED));
        assertOneEvent();
    }
}
