package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.execution.CacheOptions;
import org.sallyport.execution.CapabilityBinding;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.InsertResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecutionBuilder;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.ResultCache;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.StoredPosition;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.CallFingerprinter;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/** The executions that a cached result may answer. */
class ResultCacheServiceTest {
    private static final ToolName READS = new ToolName("demo", "kv_get");
    private static final ToolName WRITES = new ToolName("demo", "kv_put");
    private static final Json ARGUMENTS = new Json("{}");
    private static final Instant AT = Instant.EPOCH;

    private final ExecutionId first = anExecution().build().id();
    private final Map<ExecutionId, List<TraceEvent>> traces = new HashMap<>();
    private final List<ExecutionId> deleted = new ArrayList<>();
    private String ground = "1";
    private final ResultCacheService answers =
            new ResultCacheService(new FakeResultCache(), new FakeTraceJournal(), new FakeCallFingerprinter());

    private final class FakeResultCache implements ResultCache {
        @Override
        public List<ExecutionId> findCompleted(String tenant, String key, Duration maxAge, int limit) {
            return List.copyOf(traces.keySet());
        }

        @Override
        public Optional<InsertResult> insertCachedResult(NewExecution execution, ExecutionId by) {
            assertThat(execution.cacheOptions().cachedFrom()).contains(by);
            assertThat(execution.cacheOptions().resultKey()).isEmpty();
            return deleted.contains(by)
                    ? Optional.empty()
                    : Optional.of(new InsertResult.ExecutionInserted(execution.id()));
        }
    }

    private final class FakeCallFingerprinter implements CallFingerprinter {
        @Override
        public String fingerprint(String tenant, List<String> grants) {
            return ground;
        }

        @Override
        public boolean wouldAllowReadOnlyCall(
                String tenant,
                Optional<String> capability,
                List<String> grants,
                ToolName tool,
                Json arguments,
                List<ToolName> before) {
            return tool.equals(READS) && before.stream().allMatch(READS::equals);
        }
    }

    private final class FakeTraceJournal implements Journal {
        @Override
        public boolean append(FencingToken fence, JournalBatch entries) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ReleaseResult release(FencingToken fence, JournalBatch entries) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SuspendRequest.SuspendResult park(FencingToken fence, JournalBatch entries, SuspendRequest parking) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<ExecutionState> finish(FencingToken fence, ExecutionOutcome outcome, JournalBatch entries) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<StoredPosition> findPosition(ExecutionId id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long findLastCall(ExecutionId id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<TraceEvent> readEntries(ExecutionId id, long after, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<TraceEvent> readTrace(ExecutionId id, long after, int limit) {
            return traces.getOrDefault(id, List.of()).stream()
                    .filter(event -> event.seq() > after)
                    .limit(limit)
                    .toList();
        }
    }

    private static NewExecutionBuilder asking() {
        return anExecution()
                .code("return 1")
                .args("{\"a\":1,\"b\":2}")
                .cacheOptions(CacheOptions.NONE.withMaxAge(Optional.of(Duration.ofHours(1))));
    }

    private String key(NewExecution execution) {
        return answers.withResultKey(execution).cacheOptions().resultKey().orElseThrow();
    }

    static List<UnaryOperator<NewExecutionBuilder>> otherQuestions() {
        return List.of(
                other -> other.code("return 2"),
                other -> other.args("{\"b\":2,\"a\":1}"),
                other -> other.args("{\"a\":1,\"b\":3}"),
                other -> other.context("{\"a\":1}"),
                other -> other.grants("demo.kv_get"),
                other -> other.grants("demo.*", "mail.*"),
                other -> other.wallMillis(1),
                other -> other.capability(new CapabilityBinding(new CapabilityRef("a", "1.0.0"), Optional.empty())));
    }

    @ParameterizedTest
    @MethodSource("otherQuestions")
    void differentRequestsHaveDifferentKeys(UnaryOperator<NewExecutionBuilder> other) {
        assertThat(key(other.apply(asking()).build())).isNotEqualTo(key(asking().build()));
    }

    @Test
    void equivalentRequestsHaveTheSameKey() {
        assertThat(key(asking().code("\r\nreturn 1")
                        .intent("other")
                        .labels(Map.of("a", "b"))
                        .build()))
                .isEqualTo(key(asking().build()));
        String before = key(asking().build());
        ground = "2";
        assertThat(key(asking().build())).isNotEqualTo(before);
    }

    @Test
    void requestWithoutCachingHasNoKeyAndNoCachedResult() {
        NewExecution plain = anExecution().build();
        assertThat(answers.withResultKey(plain)).isSameAs(plain);
        traces.put(first, List.of());
        assertThat(answers.storeWithCachedResult(plain)).isEmpty();
    }

    private Optional<InsertResult> answered(TraceEvent... trace) {
        traces.put(first, List.of(trace));
        return answers.storeWithCachedResult(answers.withResultKey(asking().build()));
    }

    private static TraceEvent call(long seq, ToolName tool) {
        return new TraceEvent.ToolStarted(seq, AT, seq, tool, ARGUMENTS);
    }

    private static TraceEvent end(long seq, long call, ToolName tool) {
        return new TraceEvent.ToolEnded(seq, AT, call, tool, 1, 1, Optional.of(Json.NULL), Optional.empty());
    }

    private static TraceEvent failure(long seq, long call) {
        return new TraceEvent.ToolEnded(
                seq,
                AT,
                call,
                READS,
                1,
                1,
                Optional.empty(),
                Optional.of(new ToolError(ToolErrorCode.NOT_GRANTED, "no")));
    }

    private static TraceEvent judged(long seq, long call, String decision) {
        return new TraceEvent.PolicyDecided(seq, AT, call, READS, "rule", decision);
    }

    private static TraceEvent state(long seq) {
        return new TraceEvent.StateChanged(seq, AT, ExecutionState.COMPLETED, 1);
    }

    @Test
    void readOnlyExecutionIsReused() {
        assertThat(answered(state(1))).isPresent();
        assertThat(answered(call(1, READS), judged(2, 1, "allow"), end(3, 1, READS), state(4)))
                .isPresent();
    }

    @Test
    void executionWithEffectsOrFailuresIsNotReused() {
        assertThat(answered(call(1, WRITES), end(2, 1, WRITES), state(3))).isEmpty();
        assertThat(answered(call(1, READS), end(2, 1, READS), call(3, WRITES), end(4, 3, WRITES), state(5)))
                .isEmpty();
        assertThat(answered(call(1, READS), failure(2, 1), state(3))).isEmpty();
        assertThat(answered(call(1, READS), state(2))).isEmpty();
        for (String decision : List.of("deny", "ask", "mock", "plan")) {
            assertThat(answered(call(1, READS), judged(2, 1, decision), end(3, 1, READS), state(4)))
                    .as(decision)
                    .isEmpty();
        }
        assertThat(answered(new TraceEvent.CachedResultUsed(1, AT, first), state(2)))
                .isEmpty();
    }

    @Test
    void executionWithALongTraceIsNotReused() {
        assertThat(answered(LongStream.rangeClosed(1, 500)
                        .mapToObj(ResultCacheServiceTest::state)
                        .toArray(TraceEvent[]::new)))
                .isPresent();
        assertThat(answered(LongStream.rangeClosed(1, 501)
                        .mapToObj(ResultCacheServiceTest::state)
                        .toArray(TraceEvent[]::new)))
                .isEmpty();
    }

    @Test
    void deletedExecutionIsNotReused() {
        deleted.add(first);
        assertThat(answered(state(1))).isEmpty();
    }
}
