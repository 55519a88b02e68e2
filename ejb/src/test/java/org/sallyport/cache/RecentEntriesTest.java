package org.sallyport.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentEntriesTest {
    private final RecentEntries<String, Integer> entries = new RecentEntries<>(2);

    @Test
    void entryThatWasNotUsedForTheLongestTimeIsDropped() {
        entries.put("a", 1);
        entries.put("b", 1);
        entries.put("a", 2);
        entries.put("c", 1);

        assertThat(entries.get("a")).isEqualTo(2);
        assertThat(entries.contains("b")).isFalse();
        assertThat(entries.contains("c")).isTrue();
        assertThat(entries.size()).isEqualTo(2);
    }

    @Test
    void readingIsAUseAndATestForPresenceIsNone() {
        entries.put("a", 1);
        entries.put("b", 1);
        assertThat(entries.get("a")).isEqualTo(1);
        assertThat(entries.contains("b")).isTrue();
        entries.put("c", 1);

        assertThat(entries.contains("a")).isTrue();
        assertThat(entries.contains("b")).isFalse();
    }

    /** A cache that keeps what is used most may drop a new entry instead. */
    @Test
    void newEntryIsKeptHoweverOftenOthersAreUsed() {
        entries.put("a", 1);
        entries.put("b", 1);
        for (int i = 0; i < 100; i++) {
            entries.get("a");
            entries.get("b");
        }

        assertThat(entries.putIfAbsent("c", 1)).isNull();
        assertThat(entries.contains("c")).isTrue();
        assertThat(entries.update("d", (key, before) -> before == null ? 7 : before))
                .isEqualTo(7);
        assertThat(entries.contains("d")).isTrue();
        assertThat(entries.size()).isEqualTo(2);
    }

    @Test
    void valuesAreUpdatedAndRemoved() {
        assertThat(entries.update("a", (key, before) -> before == null ? 1 : before + 1))
                .isEqualTo(1);
        assertThat(entries.update("a", (key, before) -> before == null ? 1 : before + 1))
                .isEqualTo(2);
        assertThat(entries.putIfAbsent("a", 9)).isEqualTo(2);
        entries.remove("a", 9);
        assertThat(entries.get("a")).isEqualTo(2);
        entries.remove("a", 2);
        assertThat(entries.get("a")).isNull();
        entries.put("b", 1);
        entries.put("c", 2);
        entries.removeValuesIf(value -> value == 1);
        assertThat(entries.contains("b")).isFalse();
        assertThat(entries.remove("c")).isEqualTo(2);
        assertThat(entries.size()).isZero();
    }
}
