package org.sallyport.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.callback.CallbackStore.CallbackAttemptResult;
import org.sallyport.callback.CallbackStore.CallbackDelivery;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.tool.Json;

/** Contract of {@link CallbackStore}, for every implementation. Each test starts with an empty store. */
public abstract class CallbackStoreContract {
    private static final String TENANT = "t\u0000";
    private static final Duration LEASE = Duration.ofHours(1);
    private static final CallbackAttemptResult SUCCESS = new CallbackAttemptResult(Optional.of(200), Optional.empty());
    private static final CallbackAttemptResult FAILURE =
            new CallbackAttemptResult(Optional.of(503), Optional.of("busy\u0000"));

    protected abstract CallbackStore callbacks();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private ExecutionId insertExecution(String tenant, String url) {
        NewExecution execution = anExecution().tenant(tenant).callback(url).build();
        store().insert(execution);
        return execution.id();
    }

    private void finishExecution(ExecutionId id) {
        journal()
                .finish(
                        store().claim(id, "node").orElseThrow().fence(),
                        new ExecutionOutcome.ExecutionCompleted(Json.NULL),
                        JournalBatch.NONE);
    }

    private ExecutionId dueCallback(String tenant, String url) {
        ExecutionId id = insertExecution(tenant, url);
        finishExecution(id);
        callbacks().requestCheck(id);
        callbacks().markEndedDue(10);
        assertThat(find(tenant, id).state()).isEqualTo(CallbackState.DUE);
        return id;
    }

    private Callback find(String tenant, ExecutionId id) {
        return callbacks().find(tenant, id).orElseThrow();
    }

    private Optional<CallbackDelivery> claimDue() {
        return callbacks().claimDue(LEASE, Set.of(), Set.of());
    }

    @Test
    void callbackIsDueWhenItsExecutionEndsInAnyWay() {
        ExecutionId completed = insertExecution(TENANT, "https://Example.org/a?b");
        ExecutionId cancelled = insertExecution(TENANT, "https://example.org/a");
        ExecutionId waits = insertExecution(TENANT, "https://example.org/a");
        assertThat(store().insert(anExecution().tenant(TENANT).build())).isNotNull();
        assertThat(callbacks().markEndedDue(10)).containsExactlyInAnyOrder(completed, cancelled, waits);
        assertThat(claimDue()).isEmpty();
        finishExecution(completed);
        store().cancel(TENANT, cancelled);
        callbacks().requestCheck(completed);
        callbacks().requestCheck(cancelled);
        callbacks().markEndedDue(10);

        assertThat(find(TENANT, completed).state()).isEqualTo(CallbackState.DUE);
        assertThat(find(TENANT, cancelled).state()).isEqualTo(CallbackState.DUE);
        assertThat(find(TENANT, waits).state()).isEqualTo(CallbackState.WAITING);
        assertThat(callbacks().find("other", completed)).isEmpty();
        CallbackDelivery first = claimDue().orElseThrow();
        assertThat(first.tenant()).isEqualTo(TENANT);
        assertThat(first.host()).isEqualTo("example.org");
        assertThat(first.attempt()).isEqualTo(1);
        assertThat(store().find(TENANT, completed).orElseThrow().callback()).contains("https://Example.org/a?b");
        assertThat(callbacks().list(TENANT, CallbackState.DUE, Optional.empty(), 10))
                .extracting(Callback::execution)
                .containsExactly(cancelled, completed);
        assertThat(callbacks().list(TENANT, CallbackState.DUE, Optional.of(cancelled), 10))
                .extracting(Callback::execution)
                .containsExactly(completed);
        assertThat(callbacks().list("other", CallbackState.DUE, Optional.empty(), 10))
                .isEmpty();
    }

    @Test
    void oneOfConcurrentClaimsGetsTheCallback() throws Exception {
        dueCallback(TENANT, "https://a/");
        assertThat(ConcurrencyTestUtil.runConcurrently(6, i -> claimDue()))
                .filteredOn(Optional::isPresent)
                .hasSize(1);
    }

    @Test
    void unrecordedDeliveryIsClaimedAgain() throws Exception {
        ExecutionId id = dueCallback(TENANT, "https://a/");
        CallbackDelivery lost =
                callbacks().claimDue(Duration.ofMillis(50), Set.of(), Set.of()).orElseThrow();
        ConcurrencyTestUtil.awaitCondition(
                Duration.ofSeconds(60),
                () -> callbacks()
                        .claimDue(LEASE, Set.of(), Set.of())
                        .filter(redelivery -> redelivery.execution().equals(id) && redelivery.attempt() == 2)
                        .isPresent());
        assertThat(callbacks().markDelivered(lost, SUCCESS))
                .as("another node has claimed it")
                .isFalse();
        assertThat(find(TENANT, id).state()).isEqualTo(CallbackState.DUE);
    }

    @Test
    void acceptedCallbackIsDelivered() {
        ExecutionId id = dueCallback(TENANT, "https://a/");
        CallbackDelivery delivery = claimDue().orElseThrow();
        assertThat(callbacks().markDelivered(delivery, SUCCESS)).isTrue();
        Callback delivered = find(TENANT, id);
        assertThat(delivered.state()).isEqualTo(CallbackState.DELIVERED);
        assertThat(delivered.lastStatus()).contains(200);
        assertThat(delivered.finishedAt()).isPresent();
        assertThat(delivered.nextAttemptAt()).isEmpty();
        assertThat(callbacks().markFailed(delivery, FAILURE, Optional.empty())).isFalse();
        assertThat(claimDue()).isEmpty();
    }

    @Test
    void failedCallbackIsRetriedOrAbandonedAndCanBeRedelivered() {
        ExecutionId id = dueCallback(TENANT, "https://a/");
        Instant before = claimDue().orElseThrow().claimedAt();
        CallbackDelivery delivery = new CallbackDelivery(id, TENANT, "https://a/", "a", 1, before, before);
        assertThat(callbacks().markFailed(delivery, FAILURE, Optional.of(LEASE)))
                .isTrue();
        assertThat(find(TENANT, id).nextAttemptAt().orElseThrow()).isAfter(before);
        assertThat(find(TENANT, id).lastFailure()).contains("busy\u0000");
        assertThat(claimDue()).isEmpty();
        assertThat(callbacks()
                        .markFailed(
                                delivery,
                                new CallbackAttemptResult(Optional.empty(), Optional.of("x".repeat(5_000))),
                                Optional.of(Duration.ZERO)))
                .isTrue();
        CallbackDelivery second = claimDue().orElseThrow();
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.dueAt()).isBeforeOrEqualTo(second.claimedAt());
        assertThat(callbacks().markFailed(second, FAILURE, Optional.empty())).isTrue();
        assertThat(find(TENANT, id).state()).isEqualTo(CallbackState.FAILED);
        assertThat(claimDue()).isEmpty();

        assertThat(callbacks().redeliver("other", id)).isEmpty();
        assertThat(callbacks().redeliver(TENANT, id).orElseThrow().state()).isEqualTo(CallbackState.DUE);
        assertThat(claimDue().orElseThrow().attempt()).isEqualTo(1);
        ExecutionId waits = insertExecution(TENANT, "https://a/");
        assertThat(callbacks().redeliver(TENANT, waits).orElseThrow().state()).isEqualTo(CallbackState.WAITING);
    }

    @Test
    void busyHostsAndTenantsAreExcludedFromClaims() {
        dueCallback(TENANT, "https://a/");
        ExecutionId free = dueCallback("u", "https://b/");
        assertThat(callbacks()
                        .claimDue(LEASE, Set.of("a", "c\u0000"), Set.of())
                        .orElseThrow()
                        .execution())
                .isEqualTo(free);
        assertThat(callbacks().claimDue(LEASE, Set.of(), Set.of(TENANT))).isEmpty();
        assertThat(callbacks().claimDue(LEASE, Set.of("a"), Set.of(TENANT, "u")))
                .isEmpty();
        assertThat(claimDue()).isPresent();
    }

    @Test
    void replacedSaltStaysValidForAWhile() {
        assertThat(callbacks().findSalt(TENANT)).isEmpty();
        callbacks().replaceSalt(TENANT, "s1", "p1", LEASE);
        assertThat(callbacks().findSalt(TENANT)).contains(new CallbackStore.SigningSalt("s1", "p1", Optional.empty()));
        callbacks().replaceSalt(TENANT, "s2", "p2", LEASE);
        assertThat(callbacks().findSalt(TENANT)).contains(new CallbackStore.SigningSalt("s2", "p2", Optional.of("s1")));
        callbacks().replaceSalt(TENANT, "s3", "p3", Duration.ZERO);
        assertThat(callbacks().findSalt(TENANT)).contains(new CallbackStore.SigningSalt("s3", "p3", Optional.empty()));
        assertThat(callbacks().findSalt("other")).isEmpty();
        assertThat(List.of(callbacks().findSalt("\u0000"))).containsExactly(Optional.empty());
    }
}
