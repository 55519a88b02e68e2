package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptCount;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptKind;
import org.sallyport.sandbox.BlockedAccess;

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
        counter.addRefusedCall("x.y");
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
            counter.addRefusedCall("b" + i + "." + "x".repeat(200));
        }
        counter.setReported(reported);
        counter.addRefusedCall("b0." + "x".repeat(200));
        List<BlockedAttemptCount> counts = counter.counts().counts();
        assertThat(counts)
                .hasSize(2 * (BlockedAttempts.MAX_NAMES + 1))
                .contains(tool("", 20), global("", BlockedAttempts.MAX_COUNT))
                .allSatisfy(
                        each -> assertThat(each.name().length()).isLessThanOrEqualTo(BlockedAttempts.MAX_NAME_LENGTH));
        assertThat(counts.get(0)).isEqualTo(tool("b0." + "x".repeat(96) + "…", 2));
    }

    @Test
    void nameIsNotCutInsideACharacter() {
        BlockedAttemptCounter counter = new BlockedAttemptCounter(BlockedAttempts.NONE);
        counter.setReported(List.of(global("x".repeat(98) + "\uD83D\uDE00yz", 1)));
        assertThat(counter.counts().counts()).containsExactly(global("x".repeat(98) + "…", 1));
    }

    @Test
    void namesThatAreEqualAfterTheyWereCutAreAdded() {
        BlockedAttemptCounter counter = new BlockedAttemptCounter(BlockedAttempts.NONE);
        counter.setReported(List.of(global("x".repeat(200) + "1", 2), global("x".repeat(200) + "2", 3)));
        assertThat(counter.counts().counts()).containsExactly(global("x".repeat(99) + "…", 5));
    }

    /** The stored names differ from the reported ones, for example because a secret was added between two runs. */
    @Test
    void reportedNamesThatDoNotFitAreAddedToTheFurtherNames() {
        List<BlockedAttemptCount> stored = new ArrayList<>();
        for (int i = 0; i < BlockedAttempts.MAX_NAMES; i++) {
            stored.add(global("a" + i, 1));
        }
        BlockedAttemptCounter counter = new BlockedAttemptCounter(new BlockedAttempts(stored));
        List<BlockedAttemptCount> reported = List.of(global("b", 2), global("c", 3), global("", 4));
        counter.setReported(reported);
        counter.setReported(reported);
        assertThat(counter.counts().counts()).hasSize(11).contains(global("", 9));
    }

    @Test
    void limitsAreThoseOfTheSandbox() {
        assertThat(BlockedAttempts.MAX_NAMES).isEqualTo(BlockedAccess.MAX_NAMES);
        assertThat(BlockedAttempts.MAX_NAME_LENGTH).isEqualTo(BlockedAccess.MAX_NAME_LENGTH);
        assertThat(BlockedAttempts.MAX_COUNT).isEqualTo(BlockedAccess.MAX_COUNT);
    }
}
