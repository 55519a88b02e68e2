package org.sallyport.capability;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ConcurrencyTestUtil;

/** Contract of {@link UsedToolStore}, for every implementation. Each test starts with an empty store. */
public abstract class UsedToolStoreContract {
    private static final Instant AT = Instant.parse("2026-10-25T00:30:00.5Z");
    private static final int HOUR = 3_600;
    private static final CapabilityRef FEES = new CapabilityRef("shop.fees", "1.0.0");

    protected abstract UsedToolStore store();

    private static ToolUse use(CapabilityRef version, String tool, String hash, int seconds) {
        return new ToolUse("t", version, tool, hash, AT.plusSeconds(seconds));
    }

    private static UsedTool used(String tool, String hash, int since, int last) {
        return new UsedTool(tool, hash, AT.plusSeconds(since), AT.plusSeconds(last));
    }

    @Test
    void toolsAreFoundByTenantAndVersion() {
        CapabilityRef next = new CapabilityRef("shop.fees", "1.1.0");
        store().recordUses(
                        "t",
                        List.of(use(FEES, "demo.b", "1", 1), use(FEES, "demo.a", "2", 2), use(next, "x.y", "3", 3)));
        store().recordUses("u", List.of(new ToolUse("u", FEES, "demo.c", "4", AT)));
        assertThat(store().listUsedTools("t", FEES))
                .containsExactly(used("demo.a", "2", 2, 2), used("demo.b", "1", 1, 1));
        assertThat(store().listUsedTools("t", next)).containsExactly(used("x.y", "3", 3, 3));
        assertThat(store().listUsedTools("u", FEES)).containsExactly(used("demo.c", "4", 0, 0));
        assertThat(store().listUsedTools("u", next)).isEmpty();
    }

    @Test
    void useAfterAnHourMovesTheTimeAndAnotherHashBeginsAnew() {
        store().recordUses("t", List.of(use(FEES, "demo.a", "1", 1)));
        store().recordUses("t", List.of(use(FEES, "demo.a", "1", HOUR)));
        assertThat(store().listUsedTools("t", FEES)).containsExactly(used("demo.a", "1", 1, 1));
        store().recordUses("t", List.of(use(FEES, "demo.a", "1", HOUR + 1)));
        assertThat(store().listUsedTools("t", FEES)).containsExactly(used("demo.a", "1", 1, HOUR + 1));
        store().recordUses("t", List.of(use(FEES, "demo.a", "2", HOUR + 7)));
        assertThat(store().listUsedTools("t", FEES)).containsExactly(used("demo.a", "2", HOUR + 7, HOUR + 7));
    }

    /** Another node, whose clock is slow, has seen the change. */
    @Test
    void changedHashCountsAlthoughTheClockOfItsNodeIsSlow() {
        store().recordUses("t", List.of(use(FEES, "demo.a", "1", 30)));
        store().recordUses("t", List.of(use(FEES, "demo.a", "2", 5)));
        assertThat(store().listUsedTools("t", FEES)).containsExactly(used("demo.a", "2", 30, 30));
    }

    /** A node may write late, and may write again what it has written. */
    @Test
    void repeatedAndEarlierUsesChangeNothing() {
        ToolUse later = use(FEES, "demo.a", "2", 100);
        store().recordUses("t", List.of(later));
        store().recordUses("t", List.of(later));
        store().recordUses("t", List.of(use(FEES, "demo.a", "1", 3)));
        assertThat(store().listUsedTools("t", FEES)).containsExactly(used("demo.a", "2", 100, 100));
    }

    @Test
    void namesOfToolsAreStoredAsTheyAre() {
        String odd = "back.\u0000\uD800'\"" + "x".repeat(240);
        store().recordUses("t", List.of(use(FEES, odd, "1", 1)));
        assertThat(store().listUsedTools("t", FEES)).containsExactly(used(odd, "1", 1, 1));
    }

    @Test
    void numberOfToolsIsBounded() {
        List<ToolUse> many = IntStream.range(0, UsedToolStore.MAX_TOOLS + 20)
                .mapToObj(i -> use(FEES, "demo.t" + i, "1", i))
                .toList();
        store().recordUses("t", many);
        assertThat(store().listUsedTools("t", FEES)).hasSize(UsedToolStore.MAX_TOOLS);
    }

    @Test
    void concurrentFirstUsesOfOneToolAreStoredOnce() throws Exception {
        ConcurrencyTestUtil.runConcurrently(4, i -> {
            store().recordUses("t", List.of(use(FEES, "demo.a", "1", i * HOUR)));
            return i;
        });
        assertThat(store().listUsedTools("t", FEES))
                .singleElement()
                .satisfies(one -> assertThat(one.lastUsedAt()).isEqualTo(AT.plusSeconds(3 * HOUR)));
    }
}
