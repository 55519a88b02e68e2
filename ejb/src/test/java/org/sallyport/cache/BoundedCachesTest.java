package org.sallyport.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of all caches that the factory creates. */
class BoundedCachesTest {
    private static final int MAX_ENTRIES = 100;
    private static final long MAX_BYTES = 10_000;

    private static Map<String, String> ofBytes() {
        return BoundedCaches.ofBytes(MAX_ENTRIES, MAX_BYTES, (key, value) -> value.length());
    }

    static Stream<Map<String, String>> caches() {
        return Stream.of(BoundedCaches.ofEntries(MAX_ENTRIES), ofBytes());
    }

    private static void addSmallEntries(Map<String, String> cache, int from, int to) {
        IntStream.range(from, to).forEach(i -> cache.put("key" + i, "value"));
    }

    @ParameterizedTest
    @MethodSource("caches")
    void entriesAreKeptUntilTheCacheIsFull(Map<String, String> cache) {
        addSmallEntries(cache, 0, MAX_ENTRIES);

        assertThat(cache).hasSize(MAX_ENTRIES).containsEntry("key0", "value");
        assertThat(cache.computeIfAbsent("key0", key -> "other")).isEqualTo("value");
        assertThat(cache.remove("key0")).isEqualTo("value");
        assertThat(cache).doesNotContainKey("key0");
    }

    /** The size is right after each addition, so that no other thread evicts. */
    @ParameterizedTest
    @MethodSource("caches")
    void numberOfEntriesIsBoundedAtOnce(Map<String, String> cache) {
        for (int i = 0; i < 10 * MAX_ENTRIES; i++) {
            cache.put("key" + i, "value");
            assertThat(cache.size()).isLessThanOrEqualTo(MAX_ENTRIES);
        }

        assertThat(cache).hasSize(MAX_ENTRIES);
    }

    @ParameterizedTest
    @MethodSource("caches")
    void entryThatIsUsedOftenOutlastsManyThatAreUsedOnce(Map<String, String> cache) {
        addSmallEntries(cache, 0, MAX_ENTRIES);
        IntStream.range(0, 20).forEach(i -> assertThat(cache.get("key0")).isEqualTo("value"));

        addSmallEntries(cache, MAX_ENTRIES, 5 * MAX_ENTRIES);

        assertThat(cache).containsKey("key0");
    }

    @ParameterizedTest
    @MethodSource("caches")
    void computedValueIsReturnedByAFullCache(Map<String, String> cache) {
        addSmallEntries(cache, 0, MAX_ENTRIES);

        assertThat(cache.computeIfAbsent("new", key -> "computed")).isEqualTo("computed");
        assertThat(cache).hasSize(MAX_ENTRIES);
    }

    @Test
    void numberOfBytesIsBounded() {
        Map<String, String> cache = ofBytes();
        for (int i = 0; i < 10 * MAX_ENTRIES; i++) {
            cache.put("key" + i, "x".repeat(1_000));
            assertThat(cache.values().stream().mapToInt(String::length).sum()).isLessThanOrEqualTo((int) MAX_BYTES);
        }

        assertThat(cache).isNotEmpty();
    }

    @Test
    void entryLargerThanTheCacheIsReturnedButNotKept() {
        Map<String, String> cache = ofBytes();
        cache.put("small", "value");

        assertThat(cache.computeIfAbsent("large", key -> "x".repeat((int) MAX_BYTES + 1)))
                .hasSize((int) MAX_BYTES + 1);

        assertThat(cache).containsOnlyKeys("small");
    }

    @Test
    void sizesBeyondTheRangeOfIntAreNotKept() {
        Map<String, Long> cache = BoundedCaches.ofBytes(MAX_ENTRIES, MAX_BYTES, (key, value) -> value);

        cache.put("huge", Long.MAX_VALUE);

        assertThat(cache).isEmpty();
    }
}
