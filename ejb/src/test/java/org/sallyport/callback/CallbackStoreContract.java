package org.sallyport.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.callback.CallbackStore.Attempt;
import org.sallyport.callback.CallbackStore.Delivery;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.Together;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.tool.Json;

/** What every store of callbacks must do. Each test finds it empty. */
public abstract class CallbackStoreContract {
    private static final String TENANT = "t\u0000";
    private static final Duration LEASE = Duration.ofHours(1);
    private static final Attempt TAKEN = new Attempt(Optional.of(200), Optional.empty());
    private static final Attempt NOT_TAKEN = new Attempt(Optional.of(503), Optional.of("busy\u0000"));

    protected abstract CallbackStore callbacks();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private ExecutionId accepted(String tenant, String url) {
        NewExecution execution = anExecution().tenant(tenant).callback(url).build();
        store().accept(execution);
        return execution.id();
    }

    private void end(ExecutionId id) {
        journal()
                .finish(
                        store().claim(id, "node").orElseThrow().fence(),
                        new Outcome.Completed(Json.NULL),
                        Entries.NONE);
    }

    private ExecutionId due(String tenant, String url) {
        ExecutionId id = accepted(tenant, url);
        end(id);
        callbacks().hint(id);
        callbacks().settle(10);
        assertThat(find(tenant, id).state()).isEqualTo(CallbackState.DUE);
        return id;
    }

    private Callback find(String tenant, ExecutionId id) {
        return callbacks().find(tenant, id).orElseThrow();
    }

    private Optional<Delivery> take() {
        return callbacks().take(LEASE, Set.of(), Set.of());
    }

    @Test
    void itIsDueWhenItsExecutionHasEndedHoweverThatCame() {
        ExecutionId completed = accepted(TENANT, "https://Example.org/a?b");
        ExecutionId cancelled = accepted(TENANT, "https://example.org/a");
        ExecutionId waits = accepted(TENANT, "https://example.org/a");
        assertThat(store().accept(anExecution().tenant(TENANT).build())).isNotNull();
        assertThat(callbacks().settle(10)).containsExactlyInAnyOrder(completed, cancelled, waits);
        assertThat(take()).isEmpty();
        end(completed);
        store().cancel(TENANT, cancelled);
        callbacks().hint(completed);
        callbacks().hint(cancelled);
        callbacks().settle(10);

        assertThat(find(TENANT, completed).state()).isEqualTo(CallbackState.DUE);
        assertThat(find(TENANT, cancelled).state()).isEqualTo(CallbackState.DUE);
        assertThat(find(TENANT, waits).state()).isEqualTo(CallbackState.WAITING);
        assertThat(callbacks().find("other", completed)).isEmpty();
        Delivery first = take().orElseThrow();
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
    void whatIsDueIsGivenToOne() throws Exception {
        due(TENANT, "https://a/");
        assertThat(Together.run(6, i -> take())).filteredOn(Optional::isPresent).hasSize(1);
    }

    @Test
    void whatWasSentAndNotRecordedIsGivenOutAgain() throws Exception {
        ExecutionId id = due(TENANT, "https://a/");
        Delivery lost =
                callbacks().take(Duration.ofMillis(50), Set.of(), Set.of()).orElseThrow();
        Together.await(
                Duration.ofSeconds(60),
                () -> callbacks()
                        .take(LEASE, Set.of(), Set.of())
                        .filter(again -> again.execution().equals(id) && again.attempt() == 2)
                        .isPresent());
        assertThat(callbacks().delivered(lost, TAKEN))
                .as("somebody else has it")
                .isFalse();
        assertThat(find(TENANT, id).state()).isEqualTo(CallbackState.DUE);
    }

    @Test
    void whatWasTakenIsDelivered() {
        ExecutionId id = due(TENANT, "https://a/");
        Delivery delivery = take().orElseThrow();
        assertThat(callbacks().delivered(delivery, TAKEN)).isTrue();
        Callback delivered = find(TENANT, id);
        assertThat(delivered.state()).isEqualTo(CallbackState.DELIVERED);
        assertThat(delivered.status()).contains(200);
        assertThat(delivered.doneAt()).isPresent();
        assertThat(delivered.nextAt()).isEmpty();
        assertThat(callbacks().refused(delivery, NOT_TAKEN, Optional.empty())).isFalse();
        assertThat(take()).isEmpty();
    }

    @Test
    void whatWasRefusedComesAgainOrIsGivenUpAndCanBeReplayed() {
        ExecutionId id = due(TENANT, "https://a/");
        Instant before = take().orElseThrow().now();
        Delivery delivery = new Delivery(id, TENANT, "https://a/", "a", 1, before, before);
        assertThat(callbacks().refused(delivery, NOT_TAKEN, Optional.of(LEASE))).isTrue();
        assertThat(find(TENANT, id).nextAt().orElseThrow()).isAfter(before);
        assertThat(find(TENANT, id).failure()).contains("busy\u0000");
        assertThat(take()).isEmpty();
        assertThat(callbacks()
                        .refused(
                                delivery,
                                new Attempt(Optional.empty(), Optional.of("x".repeat(5_000))),
                                Optional.of(Duration.ZERO)))
                .isTrue();
        Delivery second = take().orElseThrow();
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.since()).isBeforeOrEqualTo(second.now());
        assertThat(callbacks().refused(second, NOT_TAKEN, Optional.empty())).isTrue();
        assertThat(find(TENANT, id).state()).isEqualTo(CallbackState.FAILED);
        assertThat(take()).isEmpty();

        assertThat(callbacks().replay("other", id)).isEmpty();
        assertThat(callbacks().replay(TENANT, id).orElseThrow().state()).isEqualTo(CallbackState.DUE);
        assertThat(take().orElseThrow().attempt()).isEqualTo(1);
        ExecutionId waits = accepted(TENANT, "https://a/");
        assertThat(callbacks().replay(TENANT, waits).orElseThrow().state()).isEqualTo(CallbackState.WAITING);
    }

    @Test
    void fullHostsAndTenantsAreLeftOut() {
        due(TENANT, "https://a/");
        ExecutionId free = due("u", "https://b/");
        assertThat(callbacks()
                        .take(LEASE, Set.of("a", "c\u0000"), Set.of())
                        .orElseThrow()
                        .execution())
                .isEqualTo(free);
        assertThat(callbacks().take(LEASE, Set.of(), Set.of(TENANT))).isEmpty();
        assertThat(callbacks().take(LEASE, Set.of("a"), Set.of(TENANT, "u"))).isEmpty();
        assertThat(take()).isPresent();
    }

    @Test
    void aSaltIsReplacedAndTheOneBeforeLastsAWhile() {
        assertThat(callbacks().salt(TENANT)).isEmpty();
        callbacks().putSalt(TENANT, "s1", "p1", LEASE);
        assertThat(callbacks().salt(TENANT)).contains(new CallbackStore.Salt("s1", "p1", Optional.empty()));
        callbacks().putSalt(TENANT, "s2", "p2", LEASE);
        assertThat(callbacks().salt(TENANT)).contains(new CallbackStore.Salt("s2", "p2", Optional.of("s1")));
        callbacks().putSalt(TENANT, "s3", "p3", Duration.ZERO);
        assertThat(callbacks().salt(TENANT)).contains(new CallbackStore.Salt("s3", "p3", Optional.empty()));
        assertThat(callbacks().salt("other")).isEmpty();
        assertThat(List.of(callbacks().salt("\u0000"))).containsExactly(Optional.empty());
    }
}
