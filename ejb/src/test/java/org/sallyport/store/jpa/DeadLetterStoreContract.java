package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.DeadLetter;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;

/**
 * Contract of the dead letters: the records of executions that no node could take. Each test starts with an empty
 * database.
 */
abstract class DeadLetterStoreContract {
    private static final String TENANT = "tenant\u0000a";

    abstract TestDatabase database();

    private JpaDeadLetterStore letters() {
        return new JpaDeadLetterStore(database().database());
    }

    private ExecutionStore store() {
        return new JpaExecutionStore(database().database(), Duration.ofHours(1));
    }

    private ExecutionId failAsDeadLetter(String reason) {
        NewExecution execution = anExecution().tenant(TENANT).build();
        store().insert(execution);
        assertThat(store().failPending(
                                new FencingToken(execution.id(), 0), ExecutionError.of(ErrorCode.DEAD_LETTER, reason)))
                .isTrue();
        return execution.id();
    }

    @Test
    void deadLetteredExecutionIsListedForItsTenant() {
        ExecutionId id = failAsDeadLetter("why");
        DeadLetter letter = letters().find(TENANT, id).orElseThrow();
        assertThat(letter.execution().id()).isEqualTo(id);
        assertThat(letter.execution().state()).isEqualTo(ExecutionState.FAILED);
        assertThat(letter.execution().errorCode()).contains("dead-letter");
        assertThat(letter.reason()).isEqualTo("why");
        assertThat(letter.redeliveredAs()).isEmpty();
        assertThat(letter.at())
                .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
        assertThat(letters().list(TENANT, Optional.empty(), 10)).containsExactly(letter);
        assertThat(letters().find("tenant-b", id)).isEmpty();
        assertThat(letters().list("tenant-b", Optional.empty(), 10)).isEmpty();
    }

    @Test
    void claimedExecutionIsNoDeadLetter() {
        NewExecution execution = anExecution().tenant(TENANT).build();
        store().insert(execution);
        store().claim(execution.id(), "node.1");
        assertThat(store().failPending(
                                new FencingToken(execution.id(), 0), ExecutionError.of(ErrorCode.DEAD_LETTER, "late")))
                .isFalse();
        assertThat(letters().list(TENANT, Optional.empty(), 10)).isEmpty();
    }

    @Test
    void listIsReadNewestFirstPageByPage() {
        List<ExecutionId> ids =
                IntStream.range(0, 5).mapToObj(i -> failAsDeadLetter("no " + i)).toList();
        List<DeadLetter> first = letters().list(TENANT, Optional.empty(), 2);
        List<DeadLetter> rest =
                letters().list(TENANT, Optional.of(first.get(1).execution().id()), 10);
        assertThat(first).extracting(DeadLetter::reason).containsExactly("no 4", "no 3");
        assertThat(rest).extracting(DeadLetter::reason).containsExactly("no 2", "no 1", "no 0");
        assertThat(rest.get(2).execution().id()).isEqualTo(ids.get(0));
    }

    @Test
    void deadLetterNamesItsLastRedelivery() {
        ExecutionId id = failAsDeadLetter("why");
        letters().markRedelivered(id, anExecution().build().id());
        ExecutionId last = anExecution().build().id();
        letters().markRedelivered(id, last);
        assertThat(letters().find(TENANT, id).orElseThrow().redeliveredAs()).contains(last);
    }
}
