package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.sallyport.memory.MemoryBudget;

class EntryMemoryTest {
    private static final int MAX_BYTES = 200_000;

    private final MemoryBudget entries = new MemoryBudget("entries", MAX_BYTES);
    private final MemoryBudget replies = new MemoryBudget("replies", MAX_BYTES);
    private final MemoryBudget results = new MemoryBudget("results", MAX_BYTES);
    private final EntryMemory memory = new EntryMemory(entries, replies, results, "t");

    private CompletionStage<?> reserveResult(int chars) {
        return memory.reserveResult(chars, Runnable::run);
    }

    private void assertUsed(long bytesOfEntries, long bytesOfReplies) {
        assertThat(entries.usedBytes()).isEqualTo(bytesOfEntries);
        assertThat(replies.usedBytes()).isEqualTo(bytesOfReplies);
    }

    @Test
    void fewBytesNeedNoReservation() {
        assertThat(memory.resize(32 << 10)).isTrue();
        assertUsed(0, 0);
        assertThat(memory.resize(40_000)).isTrue();
        assertUsed(40_000, 0);
        assertThat(memory.resize(10)).isTrue();
        assertUsed(0, 0);
    }

    @Test
    void entriesBeyondTheirBudgetCountAsReplies() {
        assertThat(memory.resize(90_000)).isTrue();

        assertThat(memory.resize(500_000)).isFalse();
        assertUsed(90_000, 410_000);
        assertThat(replies.tryReserve("other", 1)).isEmpty();
        assertThat(memory.resize(300_000)).isFalse();
        assertUsed(90_000, 210_000);
        assertThat(memory.resize(95_000)).isTrue();
        assertUsed(95_000, 0);
    }

    @Test
    void entriesWithoutAnyReservationCountAsReplies() {
        MemoryBudget.MemoryReservation share =
                entries.tryReserve("t", entries.maxBytesPerOwner()).orElseThrow();

        assertThat(memory.resize(60_000)).isFalse();
        assertThat(replies.usedBytes()).isEqualTo(60_000);
        share.close();
        assertThat(memory.resize(60_000)).isTrue();
        assertUsed(60_000, 0);
    }

    @Test
    void waitingRepliesCountAsReplies() {
        memory.addWaitingReply(1_000);
        memory.addWaitingReply(2_000);
        assertThat(memory.resize(150_000)).isFalse();
        assertThat(replies.usedBytes()).isEqualTo(153_000);
        memory.removeWaitingReply(1_000);
        assertThat(memory.resize(0)).isTrue();
        assertUsed(0, 2_000);
        memory.removeWaitingReply(2_000);
        assertUsed(0, 0);
    }

    @Test
    void resultWaitsForItsMemory() {
        MemoryBudget.MemoryReservation share =
                results.tryReserve("t", results.maxBytesPerOwner()).orElseThrow();
        CompletionStage<?> result = reserveResult(20_000);
        assertThat(result.toCompletableFuture()).isNotDone();

        share.close();

        assertThat(result.toCompletableFuture()).isCompleted();
        assertThat(results.usedBytes()).isEqualTo(80_000);
        assertUsed(0, 0);
    }

    @Test
    void veryLongResultReservesAllThatOneTenantMayHave() {
        assertThat(reserveResult(1 << 30).toCompletableFuture()).isCompleted();
        assertThat(results.usedBytes()).isEqualTo(results.maxBytesPerOwner());
    }

    @Test
    void endOfTheRunFreesEverything() {
        memory.resize(50_000);
        memory.addWaitingReply(70_000);
        CompletionStage<?> granted = reserveResult(10_000);
        assertThat(granted.toCompletableFuture()).isCompleted();

        memory.close();

        assertUsed(0, 0);
        assertThat(results.usedBytes()).isZero();
        memory.addWaitingReply(1);
        assertThat(memory.resize(90_000)).isTrue();
        assertThat(reserveResult(10_000).toCompletableFuture()).isCompletedExceptionally();
        memory.close();
        assertUsed(0, 0);
        assertThat(results.usedBytes()).isZero();
    }

    @Test
    void endOfTheRunEndsTheWaitOfItsResult() {
        MemoryBudget.MemoryReservation share =
                results.tryReserve("t", results.maxBytesPerOwner()).orElseThrow();
        CompletionStage<?> result = reserveResult(10_000);
        assertThat(results.waitingCount()).isEqualTo(1);

        memory.close();

        assertThat(results.waitingCount()).isZero();
        assertThat(result.toCompletableFuture()).isCompletedExceptionally();
        share.close();
        assertUsed(0, 0);
        assertThat(results.usedBytes()).isZero();
    }
}
