package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.event.EventBus;
import org.sallyport.event.EventStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

class EventFacadeTest {
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stop() {
        scheduler.shutdownNow();
    }

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject them
    private EventFacade facadeOfSilentStore(boolean maybeStored) {
        EventStore silent = (EventStore) Proxy.newProxyInstance(
                EventStore.class.getClassLoader(), new Class<?>[] {EventStore.class}, (proxy, called, given) -> {
                    throw new StoreUnavailableException("no answer", new IOException("broken"), maybeStored);
                });
        EventFacade facade = new EventFacade();
        facade.events = new EventBus(silent, (tenant, name) -> {}, job -> {}, scheduler, Runnable::run);
        facade.redactions = RedactionProvider.NONE;
        return facade;
    }

    private static void store(EventFacade facade) {
        ObjectNode body = ExecutionMapper.object().put("name", "a");
        facade.store(new Caller("key", "t", Set.of(Role.SUBMITTER)), body, Optional.empty());
    }

    @Test
    void lostAnswerOfTheDatabaseIsNotReportedAsNothingStored() {
        assertThatThrownBy(() -> store(facadeOfSilentStore(true))).isInstanceOfSatisfying(ProblemException.class, e -> {
            assertThat(e.problem().type()).isEqualTo(ProblemType.UNAVAILABLE);
            assertThat(e.problem().detail()).contains("unknown", "Idempotency-Key");
            assertThat(e.problem().members().path("outcome").asText()).isEqualTo("unknown");
        });
    }

    @Test
    void eventThatIsNotStoredIsNotReportedAsUnknown() {
        assertThatThrownBy(() -> store(facadeOfSilentStore(false))).isInstanceOf(StoreUnavailableException.class);
    }
}
