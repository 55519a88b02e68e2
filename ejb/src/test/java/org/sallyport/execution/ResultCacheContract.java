package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;

/** Contract of {@link ResultCache}, for every implementation. */
public abstract class ResultCacheContract {
    private static final String TENANT = "t\u0000";
    private static final String KEY = "sha256-1";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Json RESULT = new Json("{\"b\":1,\"a\":\"\\u0000\\ud800\"}");

    private static final List<OutputChunk> OUTPUT = List.of(
            new OutputChunk(OutputKind.ERR, 0, "error", 0, Instant.ofEpochMilli(7)),
            new OutputChunk(OutputKind.OUT, 0, "out\u0000", 5, Instant.ofEpochMilli(9)));

    protected abstract ResultCache resultCache();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    protected abstract ExecutionPurger purger();

    private static CacheOptions cacheForAnHour() {
        return CacheOptions.NONE.withMaxAge(Optional.of(HOUR));
    }

    private static NewExecutionBuilder newExecution() {
        return NewExecutionBuilder.anExecution().tenant(TENANT);
    }

    private ClaimedExecution running(String tenant, String key) {
        NewExecution execution = NewExecutionBuilder.anExecution()
                .tenant(tenant)
                .cacheOptions(cacheForAnHour().withResultKey(key))
                .build();
        store().insert(execution);
        return store().claim(execution.id(), "node").orElseThrow();
    }

    private ExecutionId completed(String tenant, String key) {
        ClaimedExecution claim = running(tenant, key);
        JournalBatch entries = new JournalBatch(
                List.of(new TraceEvent.StateChanged(1, Instant.EPOCH, ExecutionState.RUNNING, 1)), OUTPUT, true);
        assertThat(journal().finish(claim.fence(), new ExecutionOutcome.ExecutionCompleted(RESULT), entries))
                .contains(ExecutionState.COMPLETED);
        return claim.fence().id();
    }

    private List<ExecutionId> found(String tenant, String key) {
        return resultCache().findCompleted(tenant, key, HOUR, 10);
    }

    @Test
    void onlyCompletedExecutionsWithTheKeyAreFound() {
        ExecutionId one = completed(TENANT, KEY);
        ExecutionId two = completed(TENANT, KEY);
        completed(TENANT, "sha256-2");
        running(TENANT, KEY);
        ClaimedExecution failed = running(TENANT, KEY);
        journal()
                .finish(
                        failed.fence(),
                        new ExecutionOutcome.ExecutionFailed(ExecutionError.of(ErrorCode.INTERNAL_ERROR, "no")),
                        JournalBatch.NONE);
        assertThat(found(TENANT, KEY)).containsExactly(two, one);
        assertThat(resultCache().findCompleted(TENANT, KEY, HOUR, 1)).containsExactly(two);
        assertThat(found("u", KEY)).isEmpty();
        assertThat(resultCache().findCompleted(TENANT, KEY, Duration.ofMillis(-1), 10))
                .isEmpty();
    }

    @Test
    void cachedResultIsStoredAsANewExecution() {
        ExecutionId first = completed(TENANT, KEY);
        NewExecution asking = newExecution()
                .cacheOptions(cacheForAnHour().withCachedFrom(first))
                .labels(java.util.Map.of("a", "b"))
                .build();
        assertThat(resultCache().insertCachedResult(asking, first))
                .contains(new InsertResult.ExecutionInserted(asking.id()));

        Execution answered = store().find(TENANT, asking.id()).orElseThrow();
        Execution original = store().find(TENANT, first).orElseThrow();
        assertThat(answered.state()).isEqualTo(ExecutionState.COMPLETED);
        assertThat(answered.result()).contains(RESULT);
        assertThat(answered.cachedFrom()).contains(first);
        assertThat(original.cachedFrom()).isEmpty();
        assertThat(answered.outputLength()).isEqualTo(original.outputLength()).isEqualTo(4);
        assertThat(answered.errorOutputLength()).isEqualTo(5);
        assertThat(answered.truncated()).isTrue();
        assertThat(answered.summary().finishedAt()).isPresent();
        assertThat(answered.summary().labels()).containsEntry("a", "b");
        assertThat(store().readOutput(asking.id(), OutputKind.OUT, 0, 100)).isEqualTo("out\u0000");
        assertThat(store().readOutput(asking.id(), OutputKind.ERR, 0, 100)).isEqualTo("error");
        assertThat(store().readOutputInOrder(asking.id(), 0, 0, 100)).isEqualTo(OUTPUT);
        List<TraceEvent> trace = journal().readTrace(asking.id(), 0, 10);
        assertThat(trace).hasSize(2);
        assertThat(trace.get(0))
                .isInstanceOfSatisfying(
                        TraceEvent.CachedResultUsed.class,
                        event -> assertThat(event.from()).isEqualTo(first));
        assertThat(trace.get(1))
                .isInstanceOfSatisfying(
                        TraceEvent.StateChanged.class,
                        event -> assertThat(event.state()).isEqualTo(ExecutionState.COMPLETED));

        // No node can claim it, no caller can cancel it, and its result answers no other execution.
        assertThat(store().claim(asking.id(), "node")).isEmpty();
        assertThat(store().cancel(TENANT, asking.id())).isInstanceOf(CancelResult.AlreadyTerminal.class);
        assertThat(found(TENANT, KEY)).containsExactly(first);
    }

    @Test
    void unfinishedExecutionProvidesNoCachedResult() {
        ClaimedExecution running = running(TENANT, KEY);
        NewExecution asking = newExecution()
                .idempotency("key", "hash")
                .cacheOptions(cacheForAnHour().withCachedFrom(running.fence().id()))
                .build();
        assertThat(resultCache().insertCachedResult(asking, running.fence().id()))
                .isEmpty();
        assertThat(store().find(TENANT, asking.id())).isEmpty();
        assertThat(store().findByIdempotencyKey(TENANT, asking.idempotencyKey().orElseThrow()))
                .isEmpty();
    }

    @Test
    void repeatedRequestStoresOneCachedResult() {
        ExecutionId first = completed(TENANT, KEY);
        NewExecution one = newExecution()
                .idempotency("key", "hash")
                .cacheOptions(cacheForAnHour().withCachedFrom(first))
                .build();
        NewExecution repeated = newExecution()
                .idempotency("key", "hash")
                .cacheOptions(cacheForAnHour().withCachedFrom(first))
                .build();
        assertThat(resultCache().insertCachedResult(one, first)).contains(new InsertResult.ExecutionInserted(one.id()));
        assertThat(resultCache().insertCachedResult(repeated, first))
                .contains(new InsertResult.ExecutionAlreadyInserted(one.id()));
        assertThat(store().find(TENANT, repeated.id())).isEmpty();
    }

    @Test
    void cachedResultExpiresWithItsExecution() {
        ExecutionId first = completed(TENANT, KEY);
        NewExecution asking = newExecution()
                .cacheOptions(cacheForAnHour().withCachedFrom(first))
                .build();
        resultCache().insertCachedResult(asking, first);
        while (purger().purge(Duration.ZERO, 10)) {
            // Repeat until nothing is left to purge.
        }
        assertThat(store().find(TENANT, first)).isEmpty();
        assertThat(store().find(TENANT, asking.id())).isEmpty();
        assertThat(found(TENANT, KEY)).isEmpty();
        NewExecution late = newExecution()
                .cacheOptions(cacheForAnHour().withCachedFrom(first))
                .build();
        assertThat(resultCache().insertCachedResult(late, first)).isEmpty();
        assertThat(store().find(TENANT, late.id())).isEmpty();
    }
}
