package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

class JournalBufferTest {
    private static final ToolName READ = new ToolName("b", "read");

    private final JournalBuffer entries = new JournalBuffer(InstantSource.system(), 0, 0, 0, 0, BlockedAttempts.NONE);

    private void reply(long call, int chars) {
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
    void journalKeepsCountingWrittenEntries() {
        reply(1, 1_000);
        long bytes = entries.journalBytes();
        assertThat(bytes).isGreaterThan(1_000);
        entries.takeUnwritten();
        entries.markWritten();
        assertThat(entries.journalBytes()).isEqualTo(bytes);
        assertThat(new JournalBuffer(InstantSource.system(), 0, 0, 0, 77, BlockedAttempts.NONE).journalBytes())
                .isEqualTo(77);
    }
}
