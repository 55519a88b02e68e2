package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.BackendStatus.State;
import org.sallyport.catalog.PinnedTool;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/** How one backend's calls are sent, and sent once more, by a clock that the test moves. */
class HostedBackendTest {
    private static final ToolResult AWAY =
            ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "gone with s3cret-4711");
    private static final ToolResult FINE = ToolResult.success(new Json("1"));

    private final HandScheduler time = new HandScheduler();
    private final Live live = new Live();

    /** The connection; what it was asked is answered by the test. */
    private static final class Live implements LiveBackend {
        private final List<Call> calls = new ArrayList<>();
        private final List<CompletableFuture<ToolResult>> answers = new ArrayList<>();
        private final List<CallId> cancelled = new ArrayList<>();
        /** Runs while it is asked for the last sign of life of a call. */
        private Runnable asked = () -> {};

        @Override
        public void start() {}

        @Override
        public CompletionStage<ToolResult> call(Call call) {
            calls.add(call);
            CompletableFuture<ToolResult> answer = new CompletableFuture<>();
            answers.add(answer);
            return answer;
        }

        void answer(ToolResult result) {
            answers.get(answers.size() - 1).complete(result);
        }

        @Override
        public Optional<String> progress(CallId call) {
            asked.run();
            return Optional.empty();
        }

        @Override
        public void cancel(CallId call) {
            cancelled.add(call);
        }

        @Override
        public Redaction redaction() {
            return new Redaction(List.of("s3cret-4711"));
        }

        @Override
        public void close() {}
    }

    @AfterEach
    void nothingIsLeft() {
        time.shutdownNow();
    }

    private static BackendSettings settings(String json) {
        return BackendSettings.of(new Json(json));
    }

    private HostedBackend backend(String json) {
        CallSettings settings = CallSettings.of(settings(json)).trustingHints();
        HostedBackend backend = new HostedBackend(
                new BackendDefinition("b", "k", new Json(json), true, BackendDefinition.Origin.API, "1", "t"),
                settings,
                live,
                time,
                time,
                Runnable::run);
        backend.tools(List.of(
                pinned("read", ToolHints.READ_ONLY),
                pinned("again", ToolHints.IDEMPOTENT),
                pinned("effect", ToolHints.EFFECT),
                pinned("mail", ToolHints.DESTRUCTIVE)));
        backend.state(State.READY, Optional.empty());
        return backend;
    }

    private static PinnedTool pinned(String name, ToolHints hints) {
        return new PinnedTool(
                new ToolDefinition(name, name, "", new Json("{}"), Optional.empty(), hints), Optional.empty(), true);
    }

    private ToolCall call(long ordinal, String tool) {
        return new ToolCall(
                new CallId("e", ordinal),
                "t",
                new ToolName("b", tool),
                Json.EMPTY_OBJECT,
                time.instant().plusSeconds(300));
    }

    private static Connector.Answer now(CompletionStage<Connector.Answer> answer) {
        assertThat(answer.toCompletableFuture()).isDone();
        return answer.toCompletableFuture().join();
    }

    private static ToolErrorCode code(Connector.Answer answer) {
        return ((ToolResult.Failure) answer.result()).error().code();
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "again"})
    void whatMayBeRepeatedIsSentOnceMoreAndTheAnswerIsOne(String tool) {
        HostedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        CompletionStage<Connector.Answer> answer = backend.answer(call(1, tool));
        live.answer(AWAY);
        assertThat(answer.toCompletableFuture()).isNotDone();
        assertThat(live.calls).hasSize(1);
        assertThat(backend.calls().running()).as("it keeps its place").isEqualTo(1);
        time.pass(100);
        live.answer(FINE);
        assertThat(now(answer)).isEqualTo(new Connector.Answer(FINE, 2));
        assertThat(live.calls).hasSize(2).allMatch(sent -> sent.id().equals(new CallId("e", 1)));
        assertThat(backend.calls()).isEqualTo(new HostedBackend.Calls(0, 0, 1, 0, 1, 0));
        assertThat(time.pending()).as("nothing counts down any more").isZero();
    }

    @Test
    void whatIsAnsweredInTheMomentOfItsDeadlineIsCountedOnce() {
        HostedBackend backend = backend("{}");
        CompletionStage<Connector.Answer> answer = backend.answer(call(1, "effect"));
        live.asked = () -> live.answer(FINE);
        time.pass(300_000);
        assertThat(now(answer)).isEqualTo(new Connector.Answer(FINE, 1));
        assertThat(backend.calls()).isEqualTo(new HostedBackend.Calls(0, 0, 1, 0, 0, 0));
        assertThat(live.cancelled).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"effect", "mail"})
    void whatHasAnEffectIsSentOnceWhateverIsConfigured(String tool) {
        HostedBackend backend = backend("{\"retryAttempts\":10,\"retryMillis\":1}");
        CompletionStage<Connector.Answer> answer = backend.answer(call(1, tool));
        live.answer(AWAY);
        assertThat(code(now(answer))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        time.pass(600_000);
        assertThat(live.calls).hasSize(1);
    }

    @Test
    void aHintThatIsNotTrustedMakesNothingRepeatable() {
        HostedBackend backend = new HostedBackend(
                new BackendDefinition("b", "k", Json.EMPTY_OBJECT, true, BackendDefinition.Origin.API, "1", "t"),
                CallSettings.of(settings("{\"retryAttempts\":3}")),
                live,
                time,
                time,
                Runnable::run);
        backend.tools(List.of(pinned("read", ToolHints.READ_ONLY)));
        backend.state(State.READY, Optional.empty());
        CompletionStage<Connector.Answer> answer = backend.answer(call(1, "read"));
        live.answer(AWAY);
        assertThat(now(answer).attempts()).isEqualTo(1);
    }

    @Test
    void withoutSettingsNothingIsSentTwice() {
        CompletionStage<Connector.Answer> answer = backend("{}").answer(call(1, "read"));
        live.answer(AWAY);
        assertThat(now(answer).attempts()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = ToolErrorCode.class,
            names = {"BACKEND_UNAVAILABLE"},
            mode = EnumSource.Mode.EXCLUDE)
    void onlyABackendThatCouldNotBeReachedIsAskedAgain(ToolErrorCode code) {
        CompletionStage<Connector.Answer> answer =
                backend("{\"retryAttempts\":3}").answer(call(1, "read"));
        live.answer(ToolResult.failure(code, "no"));
        assertThat(now(answer).attempts()).isEqualTo(1);
        assertThat(code(now(answer))).isEqualTo(code);
    }

    @Test
    void afterTheLastAttemptTheErrorIsThatOfTheLastWithoutSecrets() {
        HostedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        CompletionStage<Connector.Answer> answer = backend.answer(call(1, "read"));
        live.answer(AWAY);
        time.pass(100);
        live.answer(AWAY);
        time.pass(200);
        live.answer(AWAY);
        assertThat(now(answer))
                .isEqualTo(new Connector.Answer(
                        ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "gone with [redacted]"), 3));
        assertThat(backend.calls()).isEqualTo(new HostedBackend.Calls(0, 0, 0, 1, 2, 0));
    }

    @Test
    void pausesGrowAndCallsComeBackApart() {
        Retry retry = new Retry(10, Duration.ofMillis(1_000));
        assertThat(LongStream.range(0, 100)
                        .map(i -> retry.after(1, new CallId("e", i)).toMillis()))
                .allMatch(millis -> millis >= 500 && millis <= 1_000)
                .satisfies(all ->
                        assertThat(List.copyOf(all).stream().distinct().count()).isGreaterThan(50));
        assertThat(retry.after(3, new CallId("e", 1)).toMillis()).isBetween(2_000L, 4_000L);
        assertThat(retry.after(10, new CallId("e", 1)).toMillis()).isBetween(30_000L, 60_000L);
    }

    @Test
    void anAttemptThatWouldComeTooLateIsNotMade() {
        HostedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":1000,\"timeoutMillis\":400}");
        CompletionStage<Connector.Answer> answer = backend.answer(call(1, "read"));
        live.answer(AWAY);
        assertThat(code(now(answer))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(live.calls).hasSize(1);
    }

    @Test
    void allAttemptsTogetherHaveTheTimeOfOneCall() {
        HostedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100,\"timeoutMillis\":1000}");
        CompletionStage<Connector.Answer> answer = backend.answer(call(1, "read"));
        time.pass(500);
        live.answer(AWAY);
        time.pass(499);
        assertThat(live.calls).hasSize(2);
        assertThat(answer.toCompletableFuture()).isNotDone();
        time.pass(1);
        assertThat(now(answer).attempts()).isEqualTo(2);
        assertThat(code(now(answer))).isEqualTo(ToolErrorCode.TIMEOUT);
        assertThat(live.cancelled).containsExactly(new CallId("e", 1));
        live.answer(FINE);
        time.pass(600_000);
        assertThat(live.calls).as("a timeout is no reason to ask again").hasSize(2);
        assertThat(backend.calls().running()).isZero();
    }

    @Test
    void whoIsCancelledInAPauseIsNotSentAgain() {
        HostedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        CompletionStage<Connector.Answer> answer = backend.answer(call(1, "read"));
        live.answer(AWAY);
        backend.cancel(new CallId("e", 1));
        assertThat(code(now(answer))).isEqualTo(ToolErrorCode.CANCELLED);
        time.pass(600_000);
        assertThat(live.calls).hasSize(1);
        assertThat(backend.calls().running()).isZero();
    }

    @Test
    void aServerThatComesBackInAPauseIsAskedThen() {
        HostedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        CompletionStage<Connector.Answer> answer = backend.answer(call(1, "read"));
        live.answer(AWAY);
        backend.state(State.DOWN, Optional.of("it ended"));
        time.pass(100);
        assertThat(live.calls).as("nothing is sent to what is down").hasSize(1);
        backend.state(State.READY, Optional.empty());
        time.pass(200);
        live.answer(FINE);
        assertThat(now(answer)).isEqualTo(new Connector.Answer(FINE, 2));
    }

    @Test
    void whatIsDownAtFirstAnswersAtOnceAndSaysThatNothingWasSent() {
        HostedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        backend.state(State.DOWN, Optional.of("it ended"));
        Connector.Answer answer = now(backend.answer(call(1, "read")));
        assertThat(answer.attempts()).isZero();
        assertThat(code(answer)).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        backend.state(State.STARTING, Optional.empty());
        assertThat(now(backend.answer(call(2, "effect"))).attempts()).isZero();
    }

    @Test
    void attemptsCountForTheBreakerAndAnOpenOneEndsThem() {
        HostedBackend backend =
                backend("{\"retryAttempts\":10,\"retryMillis\":1,\"breakerFailures\":2,\"breakerMillis\":60000}");
        CompletionStage<Connector.Answer> answer = backend.answer(call(1, "read"));
        live.answer(AWAY);
        time.pass(10);
        live.answer(AWAY);
        time.pass(10);
        assertThat(now(answer).attempts()).isEqualTo(2);
        assertThat(backend.status().state()).isEqualTo(State.DEGRADED);
        Connector.Answer next = now(backend.answer(call(2, "effect")));
        assertThat(next.attempts()).as("it was not sent").isZero();
        assertThat(live.calls).hasSize(2);
    }

    @Test
    void anOpenBreakerSaysWhySinceWhenAndUntilWhenWithoutSecrets() {
        HostedBackend backend = backend("{\"breakerFailures\":2,\"breakerMillis\":10000,\"timeoutMillis\":1000}");
        assertThat(BackendView.of(backend).breaker())
                .isEqualTo(new BreakerView(
                        BreakerView.State.CLOSED, Optional.empty(), Optional.empty(), Optional.empty()));
        backend.state(State.READY, Optional.of("what went wrong at another time"));
        time.pass(50);
        backend.answer(call(1, "read"));
        live.answer(AWAY);
        backend.answer(call(2, "read"));
        live.answer(AWAY);
        Instant opened = time.instant();
        time.pass(100);

        assertThat(backend.breaker())
                .isEqualTo(new BreakerView(
                        BreakerView.State.OPEN,
                        Optional.of(opened),
                        Optional.of(opened.plusSeconds(10)),
                        Optional.of("gone with [redacted]")));
        assertThat(backend.status())
                .isEqualTo(new BackendStatus(
                        State.DEGRADED,
                        Optional.of("its breaker is open; the last call that was not answered: gone with [redacted]"),
                        opened));

        time.pass(9_900);
        assertThat(backend.breaker().state()).isEqualTo(BreakerView.State.PROBING);
        backend.answer(call(3, "read"));
        time.pass(1_000);
        assertThat(backend.breaker().state()).isEqualTo(BreakerView.State.OPEN);
        assertThat(backend.breaker().lastFailure()).contains("'b.read' did not answer within 1000 ms");
        time.pass(10_000);
        backend.answer(call(4, "read"));
        live.answer(FINE);
        assertThat(backend.breaker().state()).isEqualTo(BreakerView.State.CLOSED);
        assertThat(backend.status().state()).isEqualTo(State.READY);
    }

    @Test
    void whatBecomesOfACallThatWasTakenDoesNotCountForTheBreaker() {
        HostedBackend backend = backend("{\"timeoutMillis\":1000,\"breakerFailures\":1,\"breakerMillis\":60000}");
        backend.answer(call(1, "effect"));
        live.calls.get(0).taken().run();
        live.answer(ToolResult.failure(ToolErrorCode.OUTCOME_UNKNOWN, "a backend of its own is away"));
        assertThat(backend.status().state()).isEqualTo(State.READY);
        CompletionStage<Connector.Answer> slow = backend.answer(call(2, "effect"));
        live.calls.get(1).taken().run();
        time.pass(1_000);
        assertThat(code(now(slow))).isEqualTo(ToolErrorCode.TIMEOUT);
        assertThat(backend.status().state()).isEqualTo(State.READY);
        backend.answer(call(3, "effect"));
        live.answer(AWAY);
        assertThat(backend.status().state()).as("one that nobody took").isEqualTo(State.DEGRADED);
    }

    @Test
    void whoTookTheAttemptBeforeNeedNotHaveTheNext() {
        HostedBackend backend =
                backend("{\"retryAttempts\":2,\"retryMillis\":1,\"breakerFailures\":1,\"breakerMillis\":60000}");
        backend.answer(call(1, "read"));
        live.calls.get(0).taken().run();
        live.answer(AWAY);
        time.pass(10);
        live.answer(AWAY);
        assertThat(backend.status().state()).isEqualTo(State.DEGRADED);
    }

    @Test
    void aToolThatIsTakenAwayInAPauseIsNotCalled() {
        HostedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        CompletionStage<Connector.Answer> answer = backend.answer(call(1, "read"));
        live.answer(AWAY);
        backend.tools(List.of(pinned("read", ToolHints.EFFECT)));
        time.pass(100);
        assertThat(code(now(answer))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(live.calls).hasSize(1);
    }

    @Test
    void whatFindsNoRoomWasNotSent() {
        HostedBackend backend = backend("{\"concurrency\":1,\"queue\":0,\"retryAttempts\":3}");
        CompletionStage<Connector.Answer> first = backend.answer(call(1, "read"));
        Connector.Answer second = now(backend.answer(call(2, "read")));
        assertThat(code(second)).isEqualTo(ToolErrorCode.BACKEND_BUSY);
        assertThat(second.attempts()).isZero();
        live.answer(FINE);
        assertThat(now(first).attempts()).isEqualTo(1);
    }

    @Test
    void whatCallsTookIsToldByBackendAndTool() {
        HostedBackend backend =
                backend("{\"concurrency\":1,\"timeoutMillis\":1000,\"breakerFailures\":1,\"breakerMillis\":60000}");
        backend.answer(call(1, "read"));
        backend.answer(call(2, "effect"));
        time.pass(63);
        live.answer(FINE);
        time.pass(20);
        live.answer(ToolResult.failure(ToolErrorCode.TOOL_FAILED, "no"));
        assertThat(backend.latency().count()).isEqualTo(2);
        assertThat(backend.latency().p99Millis()).isBetween(63.0, 65.0);
        assertThat(backend.latencyByTool()).containsOnlyKeys("effect", "read");
        assertThat(backend.latencyByTool().get("effect"))
                .as("from its turn")
                .satisfies(effect -> assertThat(effect.p50Millis()).isBetween(20.0, 20.7));

        backend.answer(call(3, "read"));
        backend.cancel(new CallId("e", 3));
        assertThat(backend.latency().count())
                .as("who is cancelled does not count")
                .isEqualTo(2);
        backend.answer(call(4, "read"));
        time.pass(1_000);
        assertThat(backend.latency().p99Millis()).as("who is given up does").isBetween(1_000.0, 1_032.0);
        backend.answer(call(5, "read"));
        assertThat(backend.latency().count()).as("who is not sent does not").isEqualTo(3);

        backend.tools(List.of(pinned("effect", ToolHints.EFFECT)));
        assertThat(backend.latencyByTool()).as("what is gone is forgotten").containsOnlyKeys("effect");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"retryAttempts\":0}",
                "{\"retryAttempts\":11}",
                "{\"retryAttempts\":\"3\"}",
                "{\"retryMillis\":0}",
                "{\"fallback\":\"a\"}",
                "{\"fallback\":[\"a\",\"a\"]}",
                "{\"fallback\":[\"a.b\"]}",
                "{\"fallback\":[\"capabilities\"]}",
                "{\"fallback\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]}"
            })
    void whatCannotBeMeantIsRefused(String json) {
        assertThatThrownBy(() -> CallSettings.of(settings(json))).isInstanceOf(InvalidBackendException.class);
    }
}
