package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.ws.rs.container.AsyncResponse;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Answers to submissions while the database does not answer. */
class ExecutionResponderTest {
    private static final ExecutionId ID = new ExecutionId(new UUID(1, 1));

    private final ExecutionResponder responder = new ExecutionResponder();

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    ExecutionResponderTest() {
        responder.store = fail(ExecutionStore.class);
    }

    private static <T> T fail(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, called, given) -> {
            throw new StoreUnavailableException("no answer", new IllegalStateException());
        }));
    }

    private void assertOutcome(String outcome, SubmissionResult result, Optional<Long> wait) {
        Caller caller = new Caller("key", "t", Set.of(Role.SUBMITTER));
        assertThatThrownBy(() -> responder.respond(caller, result, wait, fail(AsyncResponse.class)))
                .isInstanceOfSatisfying(ProblemException.class, e -> {
                    assertThat(e.problem().type()).isEqualTo(ProblemType.UNAVAILABLE);
                    assertThat(e.problem().members().path("outcome").asText()).isEqualTo(outcome);
                    assertThat(e.problem().members().path("id").asText()).isEqualTo(ID.toString());
                    assertThat(e.problem().members().path("location").asText()).isEqualTo("/api/v1/executions/" + ID);
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void storedExecutionThatCannotBeReadIsNamed(boolean waits) {
        assertOutcome(
                "stored",
                new SubmissionResult.SubmissionAccepted(ID, waits),
                waits ? Optional.of(1L) : Optional.empty());
    }

    @Test
    void executionThatMayBeStoredIsNamed() {
        assertOutcome("unknown", new SubmissionResult.SubmissionOutcomeUnknown(ID), Optional.empty());
    }
}
