package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.OutputKind;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

class JournalBufferTest {
    private static final ToolName READ = new ToolName("b", "read");

    private static final MemoryBudget REPLIES = new MemoryBudget("replies", 20 << 20);
    private static final MemoryBudget RESULTS = new MemoryBudget("results", 20 << 20);

    private final MemoryBudget memory = new MemoryBudget("entries", 20 << 20);
    private final JournalBuffer entries = buffer("t", 0);

    private JournalBuffer buffer(String tenant, long storedBytes) {
        return new JournalBuffer(
                InstantSource.system(),
                0,
                0,
                0,
                storedBytes,
                BlockedAttempts.NONE,
                new EntryMemory(memory, REPLIES, RESULTS, tenant));
    }

    private void reply(long call, int chars) {
        reply(entries, call, chars);
    }

    private static void reply(JournalBuffer entries, long call, int chars) {
        Json result = new Json("\"" + "x".repeat(chars) + "\"");
        entries.addCallEnd(call, READ, 1, ToolReply.local(ToolResult.success(result)));
    }

    @Test
    void bufferIsFullUntilItsEntriesAreWritten() {
        for (int call = 1; call <= 4; call++) {
            assertThat(entries.isFull()).isFalse();
            reply(call, (1 << 20) - 1_000);
        }
        assertThat(entries.isFull()).isFalse();
        entries.takeUnwritten();
        assertThat(entries.isFull()).as("a write under way").isFalse();
        reply(5, 1 << 20);
        assertThat(entries.isFull()).isTrue();
        entries.takeUnwritten();
        assertThat(entries.isFull()).as("a write that is tried again").isTrue();
        entries.markWritten();
        assertThat(entries.isFull()).isFalse();
    }

    @Test
    void entriesThatCameDuringAWriteStillCount() {
        reply(1, 5 << 20);
        entries.takeUnwritten();
        reply(2, 5 << 20);
        entries.markWritten();
        assertThat(entries.isFull()).isTrue();
    }

    @Test
    void outputCountsUntilItIsWritten() {
        entries.addOutput(OutputKind.OUT, "x".repeat(1 << 20), Instant.EPOCH);
        assertThat(entries.isFull()).isFalse();
        entries.takeUnwritten();
        entries.addOutput(OutputKind.ERR, "x".repeat(1 << 20), Instant.EPOCH);
        entries.addOutput(OutputKind.OUT, "x", Instant.EPOCH);
        assertThat(entries.isFull()).isTrue();
        entries.markWritten();
        assertThat(entries.isFull()).as("half of it is written").isFalse();
        entries.takeUnwritten();
        entries.markWritten();
        assertThat(memory.usedBytes()).isZero();
        assertThat(entries.journalBytes()).isZero();
    }

    @Test
    void journalKeepsCountingWrittenEntries() {
        reply(1, 1_000);
        long bytes = entries.journalBytes();
        assertThat(bytes).isGreaterThan(1_000);
        entries.takeUnwritten();
        entries.markWritten();
        assertThat(entries.journalBytes()).isEqualTo(bytes);
        assertThat(buffer("t", 77).journalBytes()).isEqualTo(77);
    }

    /** Each has less than one run may have. */
    @Test
    void buffersOfATenantAreFullWhenItsMemoryIsUsedUp() {
        List<JournalBuffer> others =
                Stream.generate(() -> buffer("t", 0)).limit(3).toList();
        others.forEach(each -> {
            reply(each, 1, 3 << 20);
            assertThat(each.isFull()).isFalse();
        });
        JournalBuffer small = buffer("t", 0);
        reply(small, 1, 10_000);
        reply(1, 3 << 20);

        assertThat(entries.isFull()).isTrue();
        assertThat(small.isFull()).as("a few entries need no reservation").isFalse();
        assertThat(others).as("buffers with a reservation").noneMatch(JournalBuffer::isFull);
        JournalBuffer other = buffer("u", 0);
        reply(other, 1, 3 << 20);
        assertThat(other.isFull()).as("that of another tenant").isFalse();

        entries.takeUnwritten();
        entries.markWritten();
        assertThat(entries.isFull()).as("after its own write").isFalse();
        reply(2, 3 << 20);
        assertThat(entries.isFull()).isTrue();
        others.get(0).takeUnwritten();
        others.get(0).markWritten();
        assertThat(entries.isFull()).as("after the write of another one").isFalse();
    }

    @Test
    void memoryIsFreeAfterTheLastWriteAndAtTheEnd() {
        reply(1, 3 << 20);
        assertThat(memory.usedBytes()).isGreaterThan(3 << 20);
        entries.takeUnwritten();
        reply(2, 1 << 20);
        entries.markWritten();
        assertThat(memory.usedBytes()).isBetween(1L << 20, 2L << 20);
        entries.close();
        assertThat(memory.usedBytes()).isZero();
        reply(3, 1 << 20);
        assertThat(memory.usedBytes()).as("after its end").isZero();
    }
}
