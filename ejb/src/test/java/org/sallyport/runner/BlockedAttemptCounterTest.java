package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptCount;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptKind;
import org.sallyport.tool.ToolName;

class BlockedAttemptCounterTest {
    private static BlockedAttemptCount global(String name, long count) {
        return new BlockedAttemptCount(BlockedAttemptKind.GLOBAL, name, count);
    }

    private static BlockedAttemptCount tool(String name, long count) {
        return new BlockedAttemptCount(BlockedAttemptKind.TOOL, name, count);
    }

    @Test
    void largerReportCountsAndNewRefusalsAreAdded() {
        BlockedAttemptCounter counter =
                new BlockedAttemptCounter(new BlockedAttempts(List.of(global("a", 5), global("b", 1), tool("x.y", 2))));
        counter.setReported(List.of(global("a", 3), global("b", 4), global("c", 1)));
        counter.addRefusedCall(new ToolName("x", "y"));
        assertThat(counter.counts().counts())
                .containsExactly(global("a", 5), global("b", 4), tool("x.y", 3), global("c", 1));
    }

    @Test
    void equalNamesOfOneReportAreAdded() {
        BlockedAttemptCounter counter = new BlockedAttemptCounter(BlockedAttempts.NONE);
        counter.setReported(List.of(global("[redacted]", 2), global("[redacted]", 3)));
        counter.setReported(List.of(global("[redacted]", 2), global("[redacted]", 3)));
        assertThat(counter.counts().counts()).containsExactly(global("[redacted]", 5));
    }

    @Test
    void namesAndCountsAreBounded() {
        BlockedAttemptCounter counter = new BlockedAttemptCounter(BlockedAttempts.NONE);
        List<BlockedAttemptCount> reported = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            reported.add(global(i + "x".repeat(200), BlockedAttempts.MAX_COUNT));
            counter.addRefusedCall(new ToolName("b" + i, "x".repeat(200)));
        }
        counter.setReported(reported);
        counter.addRefusedCall(new ToolName("b0", "x".repeat(200)));
        List<BlockedAttemptCount> counts = counter.counts().counts();
        assertThat(counts)
                .hasSize(2 * (BlockedAttempts.MAX_NAMES + 1))
                .contains(tool("", 20), global("", BlockedAttempts.MAX_COUNT))
                .allSatisfy(
                        each -> assertThat(each.name().length()).isLessThanOrEqualTo(BlockedAttempts.MAX_NAME_LENGTH));
        assertThat(counts.get(0)).isEqualTo(tool("b0." + "x".repeat(97), 2));
    }

    @Test
    void nameIsNotCutInsideACharacter() {
        BlockedAttemptCounter counter = new BlockedAttemptCounter(BlockedAttempts.NONE);
        counter.setReported(List.of(global("x".repeat(99) + "\uD83D\uDE00", 1)));
        assertThat(counter.counts().counts()).containsExactly(global("x".repeat(99), 1));
    }
}
