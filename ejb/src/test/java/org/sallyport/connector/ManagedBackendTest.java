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
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.AssignedToolName;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.messaging.ToolReplyMessage;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/** Sends and retries of one backend's calls, with a clock that the test moves. */
class ManagedBackendTest {
    private static final ToolResult UNAVAILABLE =
            ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "gone with s3cret-4711");
    private static final ToolResult SUCCESS = ToolResult.success(new Json("1"));

    private final ManualScheduler time = new ManualScheduler();
    private final FakeBackendConnection connection = new FakeBackendConnection();

    /** A connection whose calls the test answers. */
    private static final class FakeBackendConnection implements BackendConnection {
        private final List<BackendRequest> calls = new ArrayList<>();
        private final List<CompletableFuture<ToolResult>> answers = new ArrayList<>();
        private final List<CallId> cancelled = new ArrayList<>();
        /** What the connection reports of withdrawn calls. */
        private CompletionStage<Boolean> withoutEffect = CompletableFuture.completedStage(false);
        /** Runs before the connection reports of a withdrawn call. */
        private Runnable onWithdrawal = () -> {};
        /** Runs while the backend asks for the last progress of a call. */
        private Runnable onProgressQuery = () -> {};

        private boolean redactorFails;
        /** Gives the answer to the next call, or fails. */
        private Supplier<CompletableFuture<ToolResult>> nextAnswer = CompletableFuture::new;

        @Override
        public void start() {}

        @Override
        public CompletionStage<ToolResult> call(BackendRequest call) {
            calls.add(call);
            Supplier<CompletableFuture<ToolResult>> supplier = nextAnswer;
            nextAnswer = CompletableFuture::new;
            CompletableFuture<ToolResult> answer = supplier.get();
            answers.add(answer);
            return answer;
        }

        void completeAll(ToolResult result) {
            List.copyOf(answers).forEach(answer -> answer.complete(result));
        }

        void completeLast(ToolResult result) {
            answers.get(answers.size() - 1).complete(result);
        }

        @Override
        public Optional<String> lastProgress(CallId call) {
            onProgressQuery.run();
            return Optional.empty();
        }

        @Override
        public void cancel(CallId call) {
            cancelled.add(call);
        }

        @Override
        public CompletionStage<Boolean> withdraw(CallId call) {
            cancel(call);
            onWithdrawal.run();
            return withoutEffect;
        }

        @Override
        public Redactor redactor() {
            if (redactorFails) {
                throw new IllegalStateException("no redactor");
            }
            return new Redactor(List.of("s3cret-4711"));
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

    private ManagedBackend backend(String json) {
        return backend(json, Runnable::run);
    }

    private ManagedBackend backend(String json, Executor executor) {
        CallSettings settings = CallSettings.of(settings(json)).withTrustedHints();
        ManagedBackend backend = new ManagedBackend(
                new BackendDefinition("b", "k", new Json(json), true, BackendDefinition.BackendOrigin.API, "1", "t"),
                settings,
                connection,
                time,
                time,
                executor);
        backend.tools(List.of(
                pinned("read", ToolHints.READ_ONLY),
                pinned("again", ToolHints.IDEMPOTENT),
                pinned("effect", ToolHints.EFFECT),
                pinned("mail", ToolHints.DESTRUCTIVE)));
        backend.updateState(BackendState.READY, Optional.empty());
        return backend;
    }

    private static PinnedToolDefinition pinned(String name, ToolHints hints) {
        return pinned(new ToolDefinition(name, name, "", new Json("{}"), Optional.empty(), hints));
    }

    private static PinnedToolDefinition pinned(ToolDefinition definition) {
        return PinnedToolDefinition.firstSeen(new AssignedToolName(definition.name(), definition.name()), definition);
    }

    private ToolCall call(long ordinal, String tool) {
        return new ToolCall(
                new CallId("e", ordinal),
                "t",
                new ToolName("b", tool),
                Json.EMPTY_OBJECT,
                time.instant().plusSeconds(300));
    }

    private static Connector.ConnectorCallResult completed(CompletionStage<Connector.ConnectorCallResult> answer) {
        assertThat(answer.toCompletableFuture()).isDone();
        return answer.toCompletableFuture().join();
    }

    private static ToolErrorCode code(Connector.ConnectorCallResult answer) {
        return ((ToolResult.ToolFailure) answer.result()).error().code();
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "again"})
    void repeatableCallIsRetriedAndAnsweredOnce(String tool) {
        ManagedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, tool));
        connection.completeLast(UNAVAILABLE);
        assertThat(answer.toCompletableFuture()).isNotDone();
        assertThat(connection.calls).hasSize(1);
        assertThat(backend.calls().running()).as("it keeps its place").isEqualTo(1);
        time.advance(100);
        connection.completeLast(SUCCESS);
        assertThat(completed(answer)).isEqualTo(new Connector.ConnectorCallResult(SUCCESS, 2));
        assertThat(connection.calls).hasSize(2).allMatch(sent -> sent.id().equals(new CallId("e", 1)));
        assertThat(backend.calls()).isEqualTo(new ManagedBackend.BackendCallCounts(0, 0, 1, 0, 1, 0));
        assertThat(time.pendingTasks()).as("nothing counts down any more").isZero();
    }

    @Test
    void callReachesTheToolThatHasTheName() {
        ManagedBackend backend = backend("{}");
        backend.tools(List.of(
                PinnedToolDefinition.firstSeen(new AssignedToolName("get-user", "get_user"), definition("get-user")),
                PinnedToolDefinition.firstSeen(
                        new AssignedToolName("get_user_2", "get_user_2"), definition("get_user"))));
        backend.callWithRetry(call(1, "get_user_2"));
        backend.callWithRetry(call(2, "get-user"));
        assertThat(connection.calls)
                .extracting(BackendConnection.BackendRequest::tool)
                .containsExactly("get_user", "get-user");
        assertThat(code(completed(backend.callWithRetry(call(3, "get_user"))))).isEqualTo(ToolErrorCode.TOOL_NOT_FOUND);
    }

    private static ToolDefinition definition(String original) {
        return new ToolDefinition(
                original, original, "", new Json("{}"), Optional.empty(), ToolHints.EFFECT, Optional.empty());
    }

    @Test
    void unusableToolIsListedAndNotCalled() {
        ManagedBackend backend = backend("{}");
        ToolDefinition unusable = new ToolDefinition(
                "b", "b", "", new Json("{}"), Optional.empty(), ToolHints.EFFECT, Optional.of("it is too new"));
        Json refused = new Json("{\"properties\":{\"a\":{\"pattern\":\"(\"}}}");
        ToolDefinition invalid = new ToolDefinition("c", "c", "", refused, Optional.empty(), ToolHints.EFFECT);
        publish(backend, pinned(definition("a")), pinned(unusable), pinned(invalid));
        assertThat(backend.unusableTools()).containsOnlyKeys("b", "c").containsEntry("b", "it is too new");
        BackendSnapshot seen = BackendSnapshot.of(backend, "b");
        assertThat(seen.toolCount()).isEqualTo(1);
        assertThat(seen.unusableCount()).isEqualTo(2);

        Connector.ConnectorCallResult answer = completed(backend.callWithRetry(call(1, "b")));
        assertThat(code(answer)).isEqualTo(ToolErrorCode.TOOL_UNUSABLE);
        assertThat(answer.attempts()).isZero();
        assertThat(connection.calls).isEmpty();
    }

    /** Sets the tools of a backend as the registry does. */
    private static void publish(ManagedBackend backend, PinnedToolDefinition... tools) {
        backend.tools(List.of(tools));
        backend.unusableTools(new ToolCatalog()
                .putNamed(new CatalogBackend("b", "k", "q"), backend.namedTools(), backend.retiredTools()));
    }

    @Test
    void unusableToolWithAPendingChangeNamesBoth() {
        ManagedBackend backend = backend("{}");
        ToolDefinition refused = new ToolDefinition(
                "a",
                "a",
                "",
                new Json("{\"properties\":{\"a\":{\"pattern\":\"(\"}}}"),
                Optional.empty(),
                ToolHints.EFFECT);
        PinnedToolDefinition changed = pinned(refused).withDeclaration(definition("a"));
        publish(backend, changed);
        Connector.ConnectorCallResult answer = completed(backend.callWithRetry(call(1, "a")));
        assertThat(code(answer)).isEqualTo(ToolErrorCode.TOOL_UNUSABLE);
        assertThat(((ToolResult.ToolFailure) answer.result()).error().message())
                .startsWith("'b.a' cannot be used: its input schema cannot be used: ")
                .endsWith("; its server declares another definition now, which waits until an administrator accepts"
                        + " it");

        publish(backend, changed.withPendingAccepted());
        backend.callWithRetry(call(2, "a"));
        assertThat(connection.calls).hasSize(1);
        publish(backend, pinned(definition("a")).withDeclaration(refused));
        assertThat(code(completed(backend.callWithRetry(call(3, "a"))))).isEqualTo(ToolErrorCode.TOOL_QUARANTINED);
    }

    @Test
    void reasonOfAnUnusableToolIsPlainText() {
        ManagedBackend backend = backend("{}");
        ToolDefinition unusable = new ToolDefinition(
                "a",
                "a",
                "",
                new Json("{}"),
                Optional.empty(),
                ToolHints.EFFECT,
                Optional.of("it\u2028is\u202e too\u0085new " + "😀".repeat(1_000)));
        publish(backend, pinned(unusable));
        assertThat(backend.unusableTools().get("a"))
                .startsWith("it is  too new 😀")
                .endsWith("😀…")
                .hasSizeLessThanOrEqualTo(501);
    }

    /** An answer may arrive while the call is withdrawn. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void errorNamesAToolInPlainText(boolean late) {
        connection.withoutEffect = new CompletableFuture<>();
        ManagedBackend backend = backend("{\"timeoutMillis\":1000}");
        String odd = "a\u202e\u2028" + "b".repeat(10_000);
        publish(backend, PinnedToolDefinition.firstSeen(new AssignedToolName("a_b", "a_b"), definition(odd)));
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "a_b"));
        assertThat(connection.calls.get(0).tool()).isEqualTo(odd);
        time.advance(late ? 1_000 : 0);
        connection.completeLast(ToolResult.failure(ToolErrorCode.TOOL_FAILED, "'" + odd + "' answered with 404"));
        assertThat(((ToolResult.ToolFailure) completed(answer).result()).error().message())
                .startsWith("'a b")
                .endsWith("b…' answered with 404")
                .hasSizeLessThan(300);
    }

    @Test
    void replyAtTheDeadlineIsCountedOnce() {
        ManagedBackend backend = backend("{}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "effect"));
        connection.onProgressQuery = () -> connection.completeLast(SUCCESS);
        time.advance(300_000);
        assertThat(completed(answer)).isEqualTo(new Connector.ConnectorCallResult(SUCCESS, 1));
        assertThat(backend.calls()).isEqualTo(new ManagedBackend.BackendCallCounts(0, 0, 1, 0, 0, 0));
        assertThat(connection.cancelled).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"effect", "mail"})
    void effectIsNeverRetried(String tool) {
        ManagedBackend backend = backend("{\"retryAttempts\":10,\"retryMillis\":1}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, tool));
        connection.completeLast(UNAVAILABLE);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        time.advance(600_000);
        assertThat(connection.calls).hasSize(1);
    }

    @Test
    void untrustedHintsAllowNoRetry() {
        ManagedBackend backend = new ManagedBackend(
                new BackendDefinition("b", "k", Json.EMPTY_OBJECT, true, BackendDefinition.BackendOrigin.API, "1", "t"),
                CallSettings.of(settings("{\"retryAttempts\":3}")),
                connection,
                time,
                time,
                Runnable::run);
        backend.tools(List.of(pinned("read", ToolHints.READ_ONLY)));
        backend.updateState(BackendState.READY, Optional.empty());
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        connection.completeLast(UNAVAILABLE);
        assertThat(completed(answer).attempts()).isEqualTo(1);
    }

    @Test
    void defaultSettingsAllowNoRetry() {
        CompletionStage<Connector.ConnectorCallResult> answer = backend("{}").callWithRetry(call(1, "read"));
        connection.completeLast(UNAVAILABLE);
        assertThat(completed(answer).attempts()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = ToolErrorCode.class,
            names = {"BACKEND_UNAVAILABLE"},
            mode = EnumSource.Mode.EXCLUDE)
    void onlyUnavailableBackendsAreRetried(ToolErrorCode code) {
        CompletionStage<Connector.ConnectorCallResult> answer =
                backend("{\"retryAttempts\":3}").callWithRetry(call(1, "read"));
        connection.completeLast(ToolResult.failure(code, "no"));
        assertThat(completed(answer).attempts()).isEqualTo(1);
        assertThat(code(completed(answer))).isEqualTo(code);
    }

    @Test
    void lastErrorIsReturnedRedactedAfterAllAttempts() {
        ManagedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        connection.completeLast(UNAVAILABLE);
        time.advance(100);
        connection.completeLast(UNAVAILABLE);
        time.advance(200);
        connection.completeLast(UNAVAILABLE);
        assertThat(completed(answer))
                .isEqualTo(new Connector.ConnectorCallResult(
                        ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "gone with [redacted]"), 3));
        assertThat(backend.calls()).isEqualTo(new ManagedBackend.BackendCallCounts(0, 0, 0, 1, 2, 0));
    }

    @Test
    void retryDelaysGrowWithJitter() {
        RetrySettings retry = new RetrySettings(10, Duration.ofMillis(1_000));
        assertThat(LongStream.range(0, 100)
                        .map(i -> retry.delayAfter(1, new CallId("e", i)).toMillis()))
                .allMatch(millis -> millis >= 500 && millis <= 1_000)
                .satisfies(all ->
                        assertThat(List.copyOf(all).stream().distinct().count()).isGreaterThan(50));
        assertThat(retry.delayAfter(3, new CallId("e", 1)).toMillis()).isBetween(2_000L, 4_000L);
        assertThat(retry.delayAfter(10, new CallId("e", 1)).toMillis()).isBetween(30_000L, 60_000L);
    }

    @Test
    void retryBeyondTheTimeoutIsNotMade() {
        ManagedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":1000,\"timeoutMillis\":400}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        connection.completeLast(UNAVAILABLE);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(connection.calls).hasSize(1);
    }

    @Test
    void allAttemptsShareOneTimeout() {
        ManagedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100,\"timeoutMillis\":1000}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        time.advance(500);
        connection.completeLast(UNAVAILABLE);
        time.advance(499);
        assertThat(connection.calls).hasSize(2);
        assertThat(answer.toCompletableFuture()).isNotDone();
        time.advance(1);
        assertThat(completed(answer).attempts()).isEqualTo(2);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.TIMEOUT);
        assertThat(connection.cancelled).containsExactly(new CallId("e", 1));
        connection.completeLast(SUCCESS);
        time.advance(600_000);
        assertThat(connection.calls).as("a timeout is no reason to ask again").hasSize(2);
        assertThat(backend.calls().running()).isZero();
    }

    /** At the timeout of the backend, or at the deadline that the script gave. */
    @ParameterizedTest
    @CsvSource({"effect, 1000", "mail, 1000", "effect, 600000", "mail, 600000"})
    void effectWithoutAnAnswerInTimeIsUnknown(String tool, int timeoutMillis) {
        ManagedBackend backend = backend("{\"timeoutMillis\":" + timeoutMillis + "}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, tool));
        time.advance(Math.min(timeoutMillis, 300_000));
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(code(completed(answer)).isRetryable()).isFalse();
        assertThat(completed(answer).attempts()).isEqualTo(1);
        assertThat(connection.cancelled).containsExactly(new CallId("e", 1));
        assertThat(backend.calls()).isEqualTo(new ManagedBackend.BackendCallCounts(0, 0, 0, 1, 0, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "again"})
    void repeatableCallWithoutAnAnswerInTimeTimesOut(String tool) {
        CompletionStage<Connector.ConnectorCallResult> answer =
                backend("{\"timeoutMillis\":1000}").callWithRetry(call(1, tool));
        time.advance(1_000);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.TIMEOUT);
        assertThat(completed(answer).attempts()).isEqualTo(1);
    }

    @Test
    void untrustedReadWithoutAnAnswerInTimeIsUnknown() {
        ManagedBackend backend = new ManagedBackend(
                new BackendDefinition("b", "k", Json.EMPTY_OBJECT, true, BackendDefinition.BackendOrigin.API, "1", "t"),
                CallSettings.of(settings("{\"timeoutMillis\":1000}")),
                connection,
                time,
                time,
                Runnable::run);
        backend.tools(List.of(pinned("read", ToolHints.READ_ONLY)));
        backend.updateState(BackendState.READY, Optional.empty());
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        time.advance(1_000);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void withdrawnEffectThatWasNotBegunTimesOut() {
        CompletableFuture<Boolean> report = new CompletableFuture<>();
        connection.withoutEffect = report;
        CompletionStage<Connector.ConnectorCallResult> answer =
                backend("{\"timeoutMillis\":1000}").callWithRetry(call(1, "effect"));
        time.advance(1_000);
        assertThat(answer.toCompletableFuture()).isNotDone();
        report.complete(true);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.TIMEOUT);
        assertThat(completed(answer).attempts())
                .as("it counts as not sent, also for the retry policy of its execution")
                .isZero();
        assertThat(time.pendingTasks()).isZero();
    }

    /** The limit passes while a transaction is committed, or while a reply is on its way. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void answerDuringTheWithdrawalCounts(boolean succeeds) {
        CompletableFuture<Boolean> report = new CompletableFuture<>();
        connection.withoutEffect = report;
        ManagedBackend backend = backend("{\"timeoutMillis\":1000}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "effect"));
        time.advance(1_000);
        ToolResult got = succeeds ? SUCCESS : ToolResult.failure(ToolErrorCode.TOOL_FAILED, "no");
        connection.completeLast(got);
        assertThat(completed(answer)).isEqualTo(new Connector.ConnectorCallResult(got, 1));
        report.complete(false);
        time.advance(600_000);
        assertThat(backend.calls()).isEqualTo(new ManagedBackend.BackendCallCounts(0, 0, 1, 0, 0, 0));
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    void lateAnswerIsRedacted() {
        connection.withoutEffect = new CompletableFuture<>();
        CompletionStage<Connector.ConnectorCallResult> answer =
                backend("{\"timeoutMillis\":1000}").callWithRetry(call(1, "effect"));
        time.advance(1_000);
        connection.completeLast(ToolResult.success(new Json("\"s3cret-4711\"")));
        assertThat(completed(answer).result()).isEqualTo(ToolResult.success(new Json("\"[redacted]\"")));
    }

    /** The connection has an answer, so that it has no call to withdraw any more. */
    @Test
    void answerThatPrecedesTheReportOfTheWithdrawalCounts() {
        connection.onWithdrawal = () -> connection.completeLast(SUCCESS);
        CompletionStage<Connector.ConnectorCallResult> answer =
                backend("{\"timeoutMillis\":1000}").callWithRetry(call(1, "effect"));
        time.advance(1_000);
        assertThat(completed(answer)).isEqualTo(new Connector.ConnectorCallResult(SUCCESS, 1));
    }

    /** Such failures are caused by the withdrawal itself, so that its report decides. */
    @ParameterizedTest
    @EnumSource(
            value = ToolErrorCode.class,
            names = {"BACKEND_UNAVAILABLE", "OUTCOME_UNKNOWN", "TIMEOUT", "CANCELLED"})
    void failureThatTheWithdrawalCausesIsNoAnswer(ToolErrorCode code) {
        CompletableFuture<Boolean> report = new CompletableFuture<>();
        connection.withoutEffect = report;
        ManagedBackend backend = backend("{\"timeoutMillis\":1000,\"breakerFailures\":2,\"breakerMillis\":60000}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "effect"));
        time.advance(1_000);
        connection.completeLast(ToolResult.failure(code, "it was cancelled"));
        assertThat(answer.toCompletableFuture()).isNotDone();
        report.complete(false);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(completed(answer).attempts()).isEqualTo(1);
        assertThat(backend.status().state()).as("one failure was counted").isEqualTo(BackendState.READY);
    }

    @Test
    void timeoutOfTheBackendDuringAWithdrawalIsNotCounted() {
        connection.withoutEffect = new CompletableFuture<>();
        ManagedBackend backend = backend("{\"timeoutMillis\":1000,\"breakerFailures\":1,\"breakerMillis\":60000}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(
                call(1, "effect").withDeadline(time.instant().plusMillis(999)));
        time.advance(1_500);
        assertThat(answer.toCompletableFuture()).isNotDone();
        assertThat(backend.status().state()).isEqualTo(BackendState.READY);
    }

    @Test
    void cancelDuringAWithdrawalChangesNothing() {
        CompletableFuture<Boolean> report = new CompletableFuture<>();
        connection.withoutEffect = report;
        ManagedBackend backend = backend("{\"timeoutMillis\":1000}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "effect"));
        time.advance(1_000);
        backend.cancel(new CallId("e", 1));
        assertThat(connection.cancelled).hasSize(1);
        report.complete(true);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.TIMEOUT);
    }

    @Test
    void effectWhoseWithdrawalFailsIsUnknown() {
        connection.withoutEffect = CompletableFuture.failedStage(new IllegalStateException("the broker is away"));
        CompletionStage<Connector.ConnectorCallResult> answer =
                backend("{\"timeoutMillis\":1000}").callWithRetry(call(1, "effect"));
        time.advance(1_000);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void effectWithoutAReportOnItsWithdrawalIsUnknown() {
        connection.withoutEffect = new CompletableFuture<>();
        CompletionStage<Connector.ConnectorCallResult> answer =
                backend("{\"timeoutMillis\":1000}").callWithRetry(call(1, "effect"));
        time.advance(1_000 + BackendConnection.WITHDRAWAL_TIMEOUT.toMillis() - 1);
        assertThat(answer.toCompletableFuture()).isNotDone();
        time.advance(1);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(completed(answer).attempts()).isEqualTo(1);
    }

    @Test
    void reportOfAWithdrawalArrivesBeforeItsCallerStopsToWait() {
        assertThat(BackendConnection.WITHDRAWAL_TIMEOUT).isPositive().isLessThan(ToolReplyMessage.REPORT_GRACE);
    }

    @Test
    void callWhoseTimePassesInTheQueueIsNotSent() {
        ManagedBackend backend = backend("{\"concurrency\":1,\"timeoutMillis\":600000}");
        CompletionStage<Connector.ConnectorCallResult> first = backend.callWithRetry(call(1, "effect"));
        CompletionStage<Connector.ConnectorCallResult> queued = backend.callWithRetry(call(2, "effect"));
        CompletionStage<Connector.ConnectorCallResult> hurried = backend.callWithRetry(
                call(3, "effect").withDeadline(time.instant().plusSeconds(10)));
        time.advance(10_000);
        assertThat(code(completed(hurried))).isEqualTo(ToolErrorCode.TIMEOUT);
        assertThat(completed(hurried).attempts()).isZero();
        // The permit of the first call is free at the deadline of both.
        time.advance(290_000);
        assertThat(code(completed(first))).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(code(completed(queued))).isEqualTo(ToolErrorCode.TIMEOUT);
        assertThat(completed(queued).attempts()).isZero();
        assertThat(connection.calls).hasSize(1);
        assertThat(backend.calls()).isEqualTo(new ManagedBackend.BackendCallCounts(0, 0, 0, 3, 0, 0));
    }

    private static ToolResult throttled(String details) {
        return new ToolResult.ToolFailure(
                new ToolError(ToolErrorCode.BACKEND_UNAVAILABLE, "too many requests", Optional.of(new Json(details))));
    }

    @Test
    void retryWaitsAsLongAsTheBackendAsks() {
        ManagedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100,\"timeoutMillis\":60000}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        connection.completeLast(throttled("{\"status\":429,\"retryAfterMillis\":5000}"));
        time.advance(5_049);
        assertThat(connection.calls).hasSize(1);
        time.advance(51);
        assertThat(connection.calls).hasSize(2);
        connection.completeLast(SUCCESS);
        assertThat(completed(answer)).isEqualTo(new Connector.ConnectorCallResult(SUCCESS, 2));
    }

    @Test
    void callsThatWereThrottledTogetherAreNotRepeatedTogether() {
        ManagedBackend backend =
                backend("{\"concurrency\":100,\"retryAttempts\":3,\"retryMillis\":1000,\"timeoutMillis\":60000}");
        for (int i = 1; i <= 100; i++) {
            backend.callWithRetry(call(i, "read"));
        }
        connection.completeAll(throttled("{\"status\":429,\"retryAfterMillis\":5000}"));
        time.advance(5_499);
        assertThat(connection.calls).hasSize(100);
        List<Integer> sentByMillisecond = new ArrayList<>();
        for (int i = 0; i <= 501; i++) {
            int before = connection.calls.size();
            time.advance(1);
            sentByMillisecond.add(connection.calls.size() - before);
        }
        assertThat(connection.calls).hasSize(200);
        assertThat(sentByMillisecond).allMatch(count -> count < 20);
    }

    /** Only the answer asked for the longer wait. */
    @Test
    void waitForARestartingBackendIsNotAsLongAsItAskedBefore() {
        ManagedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100,\"timeoutMillis\":60000}");
        backend.callWithRetry(call(1, "read"));
        connection.completeLast(throttled("{\"status\":503,\"retryAfterMillis\":5000}"));
        backend.updateState(BackendState.STARTING, Optional.empty());
        time.advance(5_100);
        backend.updateState(BackendState.READY, Optional.empty());
        time.advance(200);
        assertThat(connection.calls).hasSize(2);
    }

    @Test
    void retryThatTheBackendAsksForTooLateIsNotMade() {
        ManagedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100,\"timeoutMillis\":60000}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        ToolResult throttled = throttled("{\"status\":429,\"retryAfterMillis\":60000}");
        connection.completeLast(throttled);
        assertThat(completed(answer)).isEqualTo(new Connector.ConnectorCallResult(throttled, 1));
        assertThat(code(completed(answer)).isRetryable()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"status\":429}", "{\"status\":503,\"retryAfterMillis\":1000}"})
    void throttledCallsDoNotOpenTheBreaker(String details) {
        ManagedBackend backend = backend("{\"breakerFailures\":1,\"breakerMillis\":60000}");
        backend.callWithRetry(call(1, "effect"));
        connection.completeLast(throttled(details));
        assertThat(backend.status().state()).isEqualTo(BackendState.READY);
        backend.callWithRetry(call(2, "effect"));
        assertThat(connection.calls).hasSize(2);
    }

    /** A load balancer answers so before a server that is away. */
    @ParameterizedTest
    @ValueSource(strings = {"{\"status\":429}", "{\"status\":503,\"retryAfterMillis\":1000}"})
    void throttledCallsDoNotCloseTheBreakerEither(String details) {
        ManagedBackend backend = backend("{\"breakerFailures\":2,\"breakerMillis\":10000}");
        backend.callWithRetry(call(1, "effect"));
        connection.completeLast(UNAVAILABLE);
        backend.callWithRetry(call(2, "effect"));
        connection.completeLast(throttled(details));
        backend.callWithRetry(call(3, "effect"));
        connection.completeLast(UNAVAILABLE);
        assertThat(backend.breaker().state()).isEqualTo(CircuitBreakerSnapshot.CircuitBreakerState.OPEN);
        time.advance(10_000);
        backend.callWithRetry(call(4, "effect"));
        connection.completeLast(throttled(details));
        assertThat(backend.breaker().state()).isEqualTo(CircuitBreakerSnapshot.CircuitBreakerState.PROBING);
        backend.callWithRetry(call(5, "effect"));
        assertThat(connection.calls).as("the next call probes").hasSize(5);
        connection.completeLast(SUCCESS);
        assertThat(backend.breaker().state()).isEqualTo(CircuitBreakerSnapshot.CircuitBreakerState.CLOSED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"status\":503}",
                "{\"retryAfterMillis\":\"9999999\"}",
                "{\"retryAfterMillis\":null}",
                "[1]",
                "{"
            })
    void detailsWithoutATimeToWaitDoNotChangeTheRetry(String details) {
        ManagedBackend backend = backend("{\"retryAttempts\":2,\"retryMillis\":100,\"breakerFailures\":2}");
        backend.callWithRetry(call(1, "read"));
        connection.completeLast(throttled(details));
        time.advance(100);
        assertThat(connection.calls).hasSize(2);
        connection.completeLast(throttled(details));
        assertThat(backend.status().state()).isEqualTo(BackendState.DEGRADED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-5", "-1e400", "0", "2.5"})
    void shortOrNegativeTimesToWaitDoNotShortenTheBackoff(String millis) {
        ManagedBackend backend = backend("{\"retryAttempts\":2,\"retryMillis\":100}");
        backend.callWithRetry(call(1, "read"));
        connection.completeLast(throttled("{\"retryAfterMillis\":" + millis + "}"));
        time.advance(49);
        assertThat(connection.calls).hasSize(1);
        time.advance(60);
        assertThat(connection.calls).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"9e30", "1e400", "9223372036854775807", "99999999999999999999999"})
    void endlessTimesToWaitEndTheAttempts(String millis) {
        ManagedBackend backend = backend("{\"retryAttempts\":2,\"retryMillis\":100}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        connection.completeLast(throttled("{\"retryAfterMillis\":" + millis + "}"));
        assertThat(completed(answer).attempts()).isEqualTo(1);
    }

    @Test
    void callCancelledDuringBackoffIsNotRetried() {
        ManagedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        connection.completeLast(UNAVAILABLE);
        backend.cancel(new CallId("e", 1));
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.CANCELLED);
        time.advance(600_000);
        assertThat(connection.calls).hasSize(1);
        assertThat(backend.calls().running()).isZero();
    }

    @Test
    void serverThatRecoversDuringBackoffIsRetried() {
        ManagedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        connection.completeLast(UNAVAILABLE);
        backend.updateState(BackendState.DOWN, Optional.of("it ended"));
        time.advance(100);
        assertThat(connection.calls).as("nothing is sent to what is down").hasSize(1);
        backend.updateState(BackendState.READY, Optional.empty());
        time.advance(200);
        connection.completeLast(SUCCESS);
        assertThat(completed(answer)).isEqualTo(new Connector.ConnectorCallResult(SUCCESS, 2));
    }

    @Test
    void unavailableBackendAnswersAtOnceWithoutSending() {
        ManagedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        backend.updateState(BackendState.DOWN, Optional.of("it ended"));
        Connector.ConnectorCallResult answer = completed(backend.callWithRetry(call(1, "read")));
        assertThat(answer.attempts()).isZero();
        assertThat(code(answer)).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        backend.updateState(BackendState.STARTING, Optional.empty());
        assertThat(completed(backend.callWithRetry(call(2, "effect"))).attempts())
                .isZero();
    }

    @Test
    void failedAttemptsOpenTheBreakerWhichStopsRetries() {
        ManagedBackend backend =
                backend("{\"retryAttempts\":10,\"retryMillis\":1,\"breakerFailures\":2,\"breakerMillis\":60000}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        connection.completeLast(UNAVAILABLE);
        time.advance(10);
        connection.completeLast(UNAVAILABLE);
        time.advance(10);
        assertThat(completed(answer).attempts()).isEqualTo(2);
        assertThat(backend.status().state()).isEqualTo(BackendState.DEGRADED);
        Connector.ConnectorCallResult next = completed(backend.callWithRetry(call(2, "effect")));
        assertThat(next.attempts()).as("it was not sent").isZero();
        assertThat(connection.calls).hasSize(2);
    }

    @Test
    void openBreakerReportsItsRedactedReasonAndTimes() {
        ManagedBackend backend = backend("{\"breakerFailures\":2,\"breakerMillis\":10000,\"timeoutMillis\":1000}");
        assertThat(BackendSnapshot.of(backend, "b").breaker())
                .isEqualTo(new CircuitBreakerSnapshot(
                        CircuitBreakerSnapshot.CircuitBreakerState.CLOSED,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()));
        backend.updateState(BackendState.READY, Optional.of("what went wrong at another time"));
        time.advance(50);
        backend.callWithRetry(call(1, "read"));
        connection.completeLast(UNAVAILABLE);
        backend.callWithRetry(call(2, "read"));
        connection.completeLast(UNAVAILABLE);
        Instant opened = time.instant();
        time.advance(100);

        assertThat(backend.breaker())
                .isEqualTo(new CircuitBreakerSnapshot(
                        CircuitBreakerSnapshot.CircuitBreakerState.OPEN,
                        Optional.of(opened),
                        Optional.of(opened.plusSeconds(10)),
                        Optional.of("gone with [redacted]")));
        assertThat(backend.status())
                .isEqualTo(new BackendStatus(
                        BackendState.DEGRADED,
                        Optional.of("its circuit breaker is open; last unanswered call: gone with [redacted]"),
                        opened));

        time.advance(9_900);
        assertThat(backend.breaker().state()).isEqualTo(CircuitBreakerSnapshot.CircuitBreakerState.PROBING);
        backend.callWithRetry(call(3, "read"));
        time.advance(1_000);
        assertThat(backend.breaker().state()).isEqualTo(CircuitBreakerSnapshot.CircuitBreakerState.OPEN);
        assertThat(backend.breaker().lastFailure()).contains("'b.read' did not answer within 1000 ms");
        time.advance(10_000);
        backend.callWithRetry(call(4, "read"));
        connection.completeLast(SUCCESS);
        assertThat(backend.breaker().state()).isEqualTo(CircuitBreakerSnapshot.CircuitBreakerState.CLOSED);
        assertThat(backend.status().state()).isEqualTo(BackendState.READY);
    }

    @Test
    void acknowledgedCallsDoNotCountForTheBreaker() {
        ManagedBackend backend = backend("{\"timeoutMillis\":1000,\"breakerFailures\":1,\"breakerMillis\":60000}");
        backend.callWithRetry(call(1, "effect"));
        connection.calls.get(0).onAcknowledged().run();
        connection.completeLast(ToolResult.failure(ToolErrorCode.OUTCOME_UNKNOWN, "a backend of its own is away"));
        assertThat(backend.status().state()).isEqualTo(BackendState.READY);
        CompletionStage<Connector.ConnectorCallResult> slow = backend.callWithRetry(call(2, "effect"));
        connection.calls.get(1).onAcknowledged().run();
        time.advance(1_000);
        assertThat(code(completed(slow))).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(backend.status().state()).isEqualTo(BackendState.READY);
        backend.callWithRetry(call(3, "effect"));
        connection.completeLast(UNAVAILABLE);
        assertThat(backend.status().state()).as("one that nobody took").isEqualTo(BackendState.DEGRADED);
    }

    @Test
    void acknowledgementAppliesToOneAttemptOnly() {
        ManagedBackend backend =
                backend("{\"retryAttempts\":2,\"retryMillis\":1,\"breakerFailures\":1,\"breakerMillis\":60000}");
        backend.callWithRetry(call(1, "read"));
        connection.calls.get(0).onAcknowledged().run();
        connection.completeLast(UNAVAILABLE);
        time.advance(10);
        connection.completeLast(UNAVAILABLE);
        assertThat(backend.status().state()).isEqualTo(BackendState.DEGRADED);
    }

    @Test
    void toolThatLosesItsHintDuringBackoffIsNotRetried() {
        ManagedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        connection.completeLast(UNAVAILABLE);
        backend.tools(List.of(pinned("read", ToolHints.EFFECT)));
        time.advance(100);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(connection.calls).hasSize(1);
    }

    @Test
    void callWithoutAFreeSlotIsNotSent() {
        ManagedBackend backend = backend("{\"concurrency\":1,\"queue\":0,\"retryAttempts\":3}");
        CompletionStage<Connector.ConnectorCallResult> first = backend.callWithRetry(call(1, "read"));
        Connector.ConnectorCallResult second = completed(backend.callWithRetry(call(2, "read")));
        assertThat(code(second)).isEqualTo(ToolErrorCode.BACKEND_BUSY);
        assertThat(second.attempts()).isZero();
        connection.completeLast(SUCCESS);
        assertThat(completed(first).attempts()).isEqualTo(1);
    }

    private void assertNothingIsHeld(ManagedBackend backend) {
        assertThat(backend.calls().running()).isZero();
        assertThat(backend.calls().waiting()).isZero();
        assertThat(time.pendingTasks()).isZero();
    }

    private enum BrokenConnection {
        EXCEPTION,
        ERROR,
        NO_STAGE,
        FAILED_STAGE;

        @SuppressWarnings("NullAway") // as a faulty connection does
        CompletableFuture<ToolResult> answer() {
            return switch (this) {
                case EXCEPTION -> throw new IllegalStateException("broken s3cret-4711");
                case ERROR -> throw new NoClassDefFoundError("broken");
                case NO_STAGE -> null;
                case FAILED_STAGE -> CompletableFuture.failedFuture(new StackOverflowError());
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void callThatFailsInsideItsConnectionIsAnsweredAndHoldsNothing(BrokenConnection broken) {
        ManagedBackend backend = backend("{\"concurrency\":1,\"breakerFailures\":10}");
        connection.nextAnswer = broken::answer;
        Connector.ConnectorCallResult effect = completed(backend.callWithRetry(call(1, "effect")));
        assertThat(code(effect)).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(effect.attempts()).isEqualTo(1);
        assertNothingIsHeld(backend);

        connection.nextAnswer = broken::answer;
        assertThat(code(completed(backend.callWithRetry(call(2, "read"))))).isEqualTo(ToolErrorCode.TOOL_FAILED);

        CompletionStage<Connector.ConnectorCallResult> next = backend.callWithRetry(call(1, "effect"));
        connection.completeLast(SUCCESS);
        assertThat(completed(next).result()).isEqualTo(SUCCESS);
        assertNothingIsHeld(backend);
    }

    /** The scheduler rejects the timer of the deadline, or that of the timeout of the backend. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void callWithoutATimerIsNotSentAndHoldsNothing(int accepted) {
        ManagedBackend backend = backend("{\"concurrency\":1}");
        time.rejectAfter(accepted);
        Connector.ConnectorCallResult answer = completed(backend.callWithRetry(call(1, "effect")));
        assertThat(code(answer)).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(answer.attempts()).isZero();
        assertThat(connection.calls).isEmpty();
        assertNothingIsHeld(backend);

        time.rejectAfter(Integer.MAX_VALUE);
        backend.callWithRetry(call(1, "effect"));
        assertThat(connection.calls).hasSize(1);
    }

    @Test
    void retryWithoutATimerIsNotMade() {
        ManagedBackend backend = backend("{\"retryAttempts\":3,\"retryMillis\":100}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "read"));
        time.rejectAfter(0);
        connection.completeLast(UNAVAILABLE);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertNothingIsHeld(backend);
    }

    @Test
    void queuedCallThatTheExecutorRejectsIsNotSent() {
        ManagedBackend backend = backend("{\"concurrency\":1}", task -> {
            throw new RejectedExecutionException("shut down, as the test says");
        });
        CompletionStage<Connector.ConnectorCallResult> first = backend.callWithRetry(call(1, "effect"));
        List<CompletionStage<Connector.ConnectorCallResult>> queued =
                List.of(backend.callWithRetry(call(2, "effect")), backend.callWithRetry(call(3, "effect")));
        connection.completeLast(SUCCESS);
        assertThat(completed(first).result()).isEqualTo(SUCCESS);
        for (CompletionStage<Connector.ConnectorCallResult> each : queued) {
            assertThat(code(completed(each))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
            assertThat(completed(each).attempts()).isZero();
        }
        assertThat(connection.calls).hasSize(1);
        assertNothingIsHeld(backend);
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "effect"})
    void expiredCallEndsAlthoughTheExecutorRejectsTasks(String tool) {
        ManagedBackend backend = backend("{\"timeoutMillis\":1000}", task -> {
            throw new RejectedExecutionException("shut down, as the test says");
        });
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, tool));
        time.advance(1_000);
        assertThat(completed(answer).attempts()).isEqualTo(1);
        assertNothingIsHeld(backend);
    }

    @Test
    void expiredCallEndsAlthoughItsConnectionFails() {
        ManagedBackend backend = backend("{\"timeoutMillis\":1000}");
        connection.onProgressQuery = () -> {
            throw new IllegalStateException("no progress");
        };
        connection.onWithdrawal = () -> {
            throw new NoClassDefFoundError("broken");
        };
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "effect"));
        time.advance(1_000);
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertNothingIsHeld(backend);
    }

    /** The answer comes in time, or while the call is withdrawn. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callWhoseAnswerCannotBeRedactedEnds(boolean late) {
        ManagedBackend backend = backend("{\"timeoutMillis\":1000}");
        CompletionStage<Connector.ConnectorCallResult> answer = backend.callWithRetry(call(1, "effect"));
        connection.redactorFails = true;
        if (late) {
            connection.onWithdrawal = () -> connection.completeLast(SUCCESS);
            time.advance(1_000);
        } else {
            connection.completeLast(SUCCESS);
        }
        assertThat(code(completed(answer))).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertNothingIsHeld(backend);
    }

    @Test
    void queuedCallsOfAClosedBackendAreNotSent() {
        ManagedBackend backend = backend("{\"concurrency\":1}");
        CompletionStage<Connector.ConnectorCallResult> first = backend.callWithRetry(call(1, "effect"));
        CompletionStage<Connector.ConnectorCallResult> queued = backend.callWithRetry(call(2, "effect"));
        backend.close();
        assertThat(code(completed(queued))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(completed(queued).attempts()).isZero();
        assertThat(completed(backend.callWithRetry(call(3, "effect"))).attempts())
                .isZero();
        connection.completeLast(SUCCESS);
        assertThat(completed(first).result()).isEqualTo(SUCCESS);
        assertThat(connection.calls).hasSize(1);
        assertNothingIsHeld(backend);
    }

    @Test
    void latencyIsReportedPerBackendAndTool() {
        ManagedBackend backend =
                backend("{\"concurrency\":1,\"timeoutMillis\":1000,\"breakerFailures\":1,\"breakerMillis\":60000}");
        backend.callWithRetry(call(1, "read"));
        backend.callWithRetry(call(2, "effect"));
        time.advance(63);
        connection.completeLast(SUCCESS);
        time.advance(20);
        connection.completeLast(ToolResult.failure(ToolErrorCode.TOOL_FAILED, "no"));
        assertThat(backend.latency().count()).isEqualTo(2);
        assertThat(backend.latency().p99Millis()).isBetween(63.0, 65.0);
        assertThat(backend.latencyByTool()).containsOnlyKeys("effect", "read");
        assertThat(backend.latencyByTool().get("effect"))
                .as("from its turn")
                .satisfies(effect -> assertThat(effect.p50Millis()).isBetween(20.0, 20.7));

        backend.callWithRetry(call(3, "read"));
        backend.cancel(new CallId("e", 3));
        assertThat(backend.latency().count())
                .as("who is cancelled does not count")
                .isEqualTo(2);
        backend.callWithRetry(call(4, "read"));
        time.advance(1_000);
        assertThat(backend.latency().p99Millis()).as("who is given up does").isBetween(1_000.0, 1_032.0);
        backend.callWithRetry(call(5, "read"));
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
    void invalidSettingsAreRefused(String json) {
        assertThatThrownBy(() -> CallSettings.of(settings(json))).isInstanceOf(InvalidBackendException.class);
    }
}
