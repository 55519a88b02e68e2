package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

class SharedReadToolBridgeTest {
    private static final ToolName READ = new ToolName("b", "read");
    private static final BatchId BATCH = new BatchId(new UUID(0, 1));
    private static final BatchId OTHER = new BatchId(new UUID(0, 2));
    private static final long MAX_BYTES = 100_000;

    private final DeferredReplyToolBridge tools = new DeferredReplyToolBridge();
    private volatile Instant now = Instant.EPOCH;
    private volatile Redactor redaction = Redactor.NONE;
    private final SharedReadToolBridge shared = new SharedReadToolBridge(
            tools, Runnable::run, () -> now, tenant -> redaction, MAX_BYTES, Duration.ofMinutes(1));
    private final CatalogTool tool = tool("");
    private int executions;

    /** Tools whose replies the test completes. */
    private static final class DeferredReplyToolBridge implements ToolBridge {
        private final List<CallId> sent = new ArrayList<>();
        private final List<Instant> deadlines = new ArrayList<>();
        private final List<CompletableFuture<ToolReply>> replies = new ArrayList<>();
        private final List<CallId> cancelled = new ArrayList<>();
        private boolean broken;
        private Runnable whileSending = () -> {};

        @Override
        public synchronized CompletionStage<ToolReply> send(ToolCall call) {
            if (broken) {
                throw new IllegalStateException("as the test says");
            }
            sent.add(call.id());
            deadlines.add(call.deadline());
            whileSending.run();
            CompletableFuture<ToolReply> reply = new CompletableFuture<>();
            replies.add(reply);
            return reply;
        }

        @Override
        public synchronized void cancel(CallId id) {
            cancelled.add(id);
            int index = sent.lastIndexOf(id);
            if (index >= 0 && index < replies.size()) {
                replies.get(index).complete(failure(ToolErrorCode.CANCELLED));
            }
        }
    }

    private static ToolReply failure(ToolErrorCode code) {
        return ToolReply.local(ToolResult.failure(code, "no"));
    }

    private static final ToolResult CANCELLED = ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled");

    private static ToolReply success(String json) {
        return new ToolReply(ToolResult.success(new Json(json)), 3, 4);
    }

    private static CatalogTool tool(String description) {
        ToolCatalog catalog = new ToolCatalog();
        catalog.put(
                new CatalogBackend("b", "java", "q"),
                List.of(new ToolSpec(READ, description, new Json("{}"), ToolHints.READ_ONLY)));
        return catalog.find(READ).orElseThrow();
    }

    private SharedReadKey readKey(BatchId batch, String arguments) {
        return SharedReadKey.of(batch, "t", List.of("b.*"), tool, new Json(arguments))
                .orElseThrow();
    }

    private ToolCall call(String arguments) {
        CallId id = new CallId("e" + ++executions, 7);
        return new ToolCall(id, "t", READ, new Json(arguments), Instant.EPOCH.plusSeconds(30));
    }

    private CompletableFuture<ToolReply> ask(BatchId batch, String arguments) {
        return shared.send(readKey(batch, arguments), call(arguments)).toCompletableFuture();
    }

    private void answer(int call, ToolReply reply) {
        tools.replies.get(call).complete(reply);
    }

    @Test
    void identicalReadReceivesTheReplyOfTheFirst() {
        CompletableFuture<ToolReply> first = ask(BATCH, "{\"a\":1,\"b\":2}");
        CompletableFuture<ToolReply> second = ask(BATCH, "{\"b\":2,\"a\":1}");
        assertThat(second).isNotDone();
        answer(0, success("[1]"));

        assertThat(first.join()).isEqualTo(success("[1]"));
        ToolReply given = ToolReply.from(new CallId("e1", 7), ToolResult.success(new Json("[1]")));
        assertThat(given.attempts()).isZero();
        assertThat(second.join()).isEqualTo(given);
        assertThat(ask(BATCH, "{\"a\":1,\"b\":2}").join()).isEqualTo(given);
        assertThat(tools.sent).containsExactly(new CallId("e1", 7));
    }

    @Test
    void waitingReadsAreSentAfterTheFirstHasFailedOnThisNode() {
        CompletableFuture<ToolReply> first = ask(BATCH, "{}");
        CompletableFuture<ToolReply> second = ask(BATCH, "{}");
        tools.replies.get(0).completeExceptionally(new StackOverflowError());
        assertThat(first).isCompletedExceptionally();
        answer(1, success("1"));
        assertThat(second.join()).isEqualTo(success("1"));

        CompletableFuture<ToolReply> third = ask(BATCH, "{}");
        answer(2, success("2"));
        assertThat(third.join()).isEqualTo(success("2"));
    }

    @Test
    void otherBatchSendsItsOwnRead() {
        ask(BATCH, "{}");
        CompletableFuture<ToolReply> other = ask(OTHER, "{}");
        answer(0, success("1"));
        answer(1, success("2"));
        assertThat(other.join()).isEqualTo(success("2"));
        assertThat(tools.sent).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"a\":1} | {\"a\":1.0}",
                "{\"a\":1} | {\"a\":\"1\"}",
                "{\"a\":[1,2]} | {\"a\":[2,1]}",
                "{\"a\":null} | {}",
                "[1e400] | [1e401]",
                "[0.1] | [0.1000000000000000055511151231257827]",
                "[\"\\uD800\"] | [\"\\uD801\"]",
                "[9007199254740993] | [9007199254740992]"
            })
    void differentArgumentsHaveDifferentKeys(String one, String another) {
        assertThat(readKey(BATCH, one)).isNotEqualTo(readKey(BATCH, another)).isEqualTo(readKey(BATCH, one));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"{\"a\":1,\"a\":2}", "{", "1 2", "''"})
    void ambiguousOrInvalidArgumentsHaveNoKey(String arguments) {
        assertThat(SharedReadKey.of(BATCH, "t", List.of("b.*"), tool, new Json(arguments)))
                .isEmpty();
    }

    @Test
    void keyDependsOnToolTenantAndGrants() {
        SharedReadKey question = readKey(BATCH, "{}");
        Json none = new Json("{}");
        assertThat(SharedReadKey.of(BATCH, "t", List.of("b.*"), tool("as it is now"), none))
                .isNotEqualTo(Optional.of(question));
        assertThat(SharedReadKey.of(BATCH, "u", List.of("b.*"), tool, none)).isNotEqualTo(Optional.of(question));
        assertThat(SharedReadKey.of(BATCH, "t", List.of("b.read"), tool, none)).isNotEqualTo(Optional.of(question));
        assertThat(SharedReadKey.of(BATCH, "t", List.of("b.*"), tool, new Json("{ }")))
                .contains(question);
    }

    @Test
    void afterAFailureEachCallIsSentSeparately() {
        CompletableFuture<ToolReply> first = ask(BATCH, "{}");
        CompletableFuture<ToolReply> second = ask(BATCH, "{}");
        CompletableFuture<ToolReply> third = ask(BATCH, "{}");
        answer(0, failure(ToolErrorCode.TOOL_FAILED));

        assertThat(first.join()).isEqualTo(failure(ToolErrorCode.TOOL_FAILED));
        assertThat(tools.sent).hasSize(3);
        answer(1, success("2"));
        answer(2, failure(ToolErrorCode.TIMEOUT));
        assertThat(second.join()).isEqualTo(success("2"));
        assertThat(third.join()).isEqualTo(failure(ToolErrorCode.TIMEOUT));

        assertThat(shared.size()).isZero();
        ask(BATCH, "{}");
        assertThat(tools.sent).hasSize(4);
    }

    @Test
    void callSentAfterATimeoutGetsItsFullTime() {
        ask(BATCH, "{}");
        now = Instant.EPOCH.plusSeconds(10);
        CompletableFuture<ToolReply> second = ask(BATCH, "{}");
        now = Instant.EPOCH.plusSeconds(30);
        answer(0, failure(ToolErrorCode.TIMEOUT));
        assertThat(tools.deadlines).containsExactly(Instant.EPOCH.plusSeconds(30), Instant.EPOCH.plusSeconds(50));
        answer(1, success("2"));
        assertThat(second.join()).isEqualTo(success("2"));
    }

    @Test
    void cancelOfTheSentCallSendsTheNextWaitingOne() {
        CompletableFuture<ToolReply> first = ask(BATCH, "{}");
        CompletableFuture<ToolReply> second = ask(BATCH, "{}");
        CompletableFuture<ToolReply> third = ask(BATCH, "{}");
        CompletableFuture<ToolReply> fourth = ask(BATCH, "{}");
        shared.cancel(new CallId("e2", 7));
        shared.cancel(new CallId("e1", 7));
        assertThat(first.join()).isEqualTo(failure(ToolErrorCode.CANCELLED));
        assertThat(second.join().attempts()).isZero();
        assertThat(tools.sent).containsExactly(new CallId("e1", 7), new CallId("e3", 7));
        shared.cancel(new CallId("e3", 7));
        assertThat(third.join()).isEqualTo(failure(ToolErrorCode.CANCELLED));
        assertThat(tools.sent).hasSize(3);
        answer(2, success("2"));
        assertThat(fourth.join()).isEqualTo(success("2"));
        assertThat(ask(BATCH, "{}").join().sharedFrom()).contains(new CallId("e4", 7));
    }

    /**
     * The cancellation of a batch cancels the sent call and the calls that wait for its reply at about the same time.
     */
    @Test
    void callCancelledWhileBeingSentIsWithdrawn() {
        ask(BATCH, "{}");
        CompletableFuture<ToolReply> second = ask(BATCH, "{}");
        tools.whileSending = () -> shared.cancel(new CallId("e2", 7));
        answer(0, failure(ToolErrorCode.TOOL_FAILED));
        assertThat(second.join().result()).isEqualTo(CANCELLED);
        assertThat(second.join().attempts()).as("it may have been made").isEqualTo(1);
        assertThat(tools.replies.get(1)).as("withdrawn after it was sent").isDone();
    }

    /** An execution that runs again on this node repeats a call that its earlier run has already sent. */
    @Test
    void repeatedCallOfTheSameExecutionIsNotShared() {
        CallId id = new CallId("e9", 1);
        ToolCall call = new ToolCall(id, "t", READ, new Json("{}"), Instant.EPOCH.plusSeconds(30));
        shared.send(readKey(BATCH, "{}"), call);
        CompletableFuture<ToolReply> repeated =
                shared.send(readKey(BATCH, "{}"), call).toCompletableFuture();
        answer(0, success("1"));
        assertThat(repeated.join()).isEqualTo(new ToolReply(ToolResult.success(new Json("1")), 0, 0, 1));
        shared.send(readKey(BATCH, "[]"), call);
        shared.send(readKey(BATCH, "[]"), call);
        shared.cancel(id);
        assertThat(tools.cancelled).containsExactly(id);
    }

    @Test
    void waitingCallThatIsCancelledIsNeverSent() {
        ask(BATCH, "{}");
        CompletableFuture<ToolReply> second = ask(BATCH, "{}");
        CompletableFuture<ToolReply> third = ask(BATCH, "{}");
        shared.cancel(new CallId("e2", 7));
        assertThat(second.join().result())
                .isInstanceOfSatisfying(
                        ToolResult.ToolFailure.class,
                        failed -> assertThat(failed.error().code()).isEqualTo(ToolErrorCode.CANCELLED));
        assertThat(second.join().attempts()).as("never sent").isZero();

        answer(0, failure(ToolErrorCode.TOOL_FAILED));
        assertThat(tools.sent).containsExactly(new CallId("e1", 7), new CallId("e3", 7));
        assertThat(third).isNotDone();
    }

    @Test
    void failedSendLeavesNoCallWaiting() {
        tools.broken = true;
        assertThatThrownBy(() -> ask(BATCH, "{}")).isInstanceOf(IllegalStateException.class);
        tools.broken = false;
        ask(BATCH, "{}");
        List<CompletableFuture<ToolReply>> others = List.of(ask(BATCH, "{}"), ask(BATCH, "{}"));
        tools.broken = true;
        answer(0, failure(ToolErrorCode.TIMEOUT));
        assertThat(others)
                .allSatisfy(other -> assertThat(other.join().result())
                        .isInstanceOfSatisfying(
                                ToolResult.ToolFailure.class,
                                failed -> assertThat(failed.error().code())
                                        .isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE)));
    }

    @Test
    void sharedReplyExpires() {
        ask(BATCH, "{}");
        answer(0, success("1"));
        now = now.plusSeconds(59);
        assertThat(ask(BATCH, "{}")).isDone();
        now = now.plusSeconds(1);
        assertThat(ask(BATCH, "{}")).isNotDone();
        answer(1, success("2"));
        assertThat(ask(BATCH, "{}").join().result()).isEqualTo(ToolResult.success(new Json("2")));
        assertThat(shared.size()).isEqualTo(1);
    }

    @Test
    void staleRepliesAreEvicted() {
        for (int i = 0; i < 3; i++) {
            ask(BATCH, "[" + i + "]");
            answer(i, success("1"));
            now = now.plusSeconds(20);
        }
        shared.evictStale(batch -> true);
        assertThat(shared.size()).isEqualTo(2);
        now = now.plusSeconds(60);
        shared.evictStale(batch -> true);
        assertThat(shared.size()).isZero();
    }

    @Test
    void repliesOfAnEndedBatchAreEvicted() {
        ask(BATCH, "{}");
        ask(OTHER, "{}");
        answer(0, success("1"));
        answer(1, success("2"));
        AtomicInteger looks = new AtomicInteger();
        shared.evictStale(batch -> looks.incrementAndGet() < 0);
        assertThat(looks).hasValue(0); // Both batches were used a moment ago.

        now = now.plusSeconds(5);
        shared.evictStale(batch -> {
            throw new StoreUnavailableException("away, as the test says", new IllegalStateException());
        });
        assertThat(shared.size()).isEqualTo(2);
        now = now.plusSeconds(5);
        shared.evictStale(batch -> {
            looks.incrementAndGet();
            return batch.equals(OTHER);
        });
        assertThat(looks).hasValue(2);
        assertThat(shared.size()).isEqualTo(1);
        assertThat(ask(OTHER, "{}")).isDone();
        assertThat(ask(BATCH, "{}")).isNotDone();
    }

    @Test
    void cacheSizeIsLimitedAndTheLargestBatchIsEvictedFirst() {
        String large = '"' + "x".repeat(5_000) + '"';
        ask(OTHER, "{}");
        answer(0, success(large));
        for (int i = 1; i <= 40; i++) {
            ask(BATCH, "[" + i + "]");
            answer(i, success(large));
        }
        assertThat(shared.size()).isBetween(15, (int) (MAX_BYTES / large.getBytes(StandardCharsets.UTF_8).length));
        assertThat(ask(OTHER, "{}")).isDone();
        assertThat(ask(BATCH, "[40]")).isDone();
        assertThat(ask(BATCH, "[1]")).isNotDone();
    }

    @Test
    void veryLargeReplyIsSharedWithWaitingCallsAndNotCached() {
        String large = '"' + "x".repeat((int) MAX_BYTES / 8) + '"';
        ask(BATCH, "{}");
        CompletableFuture<ToolReply> second = ask(BATCH, "{}");
        answer(0, success(large));
        assertThat(second.join().sharedFrom()).isPresent();
        assertThat(shared.size()).isZero();
    }

    @Test
    void oneOfManyConcurrentReadsIsSent() throws Exception {
        SharedReadToolBridge crowded = new SharedReadToolBridge(
                tools, Runnable::run, () -> now, tenant -> redaction, MAX_BYTES, Duration.ofMinutes(1));
        List<CompletableFuture<ToolReply>> replies = ConcurrencyTestUtil.runConcurrently(32, number -> {
            ToolCall one = new ToolCall(new CallId("m" + number, 1), "t", READ, new Json("{}"), Instant.MAX);
            return crowded.send(readKey(BATCH, "{}"), one).toCompletableFuture();
        });
        assertThat(tools.sent).hasSize(1);
        answer(0, success("1"));
        assertThat(replies).allMatch(CompletableFuture::isDone);
        assertThat(replies.stream().filter(reply -> reply.join().sharedFrom().isEmpty()))
                .hasSize(1);
    }

    @Test
    void sharedReplyIsRedactedWithCurrentSecrets() {
        ask(BATCH, "{}");
        answer(0, success("\"open-sesame\""));
        redaction = new Redactor(List.of("open-sesame"));
        assertThat(ask(BATCH, "{}").join().result().toString()).doesNotContain("open-sesame");
    }
}
