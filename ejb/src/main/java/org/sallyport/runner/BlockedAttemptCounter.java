package org.sallyport.runner;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptCount;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptKind;
import org.sallyport.sandbox.BlockedAccess;

/**
 * Counts the blocked attempts of one execution over all its runs. A replay makes the attempts in the script again, so
 * of those the largest count of a run counts. Calls that were refused in an earlier run are answered from the journal,
 * so new refusals are added to the stored ones. Not thread-safe.
 */
final class BlockedAttemptCounter {
    private static final String FURTHER_NAMES = "";

    private final Map<AttemptKey, Long> counts = new LinkedHashMap<>();

    private record AttemptKey(BlockedAttemptKind kind, String name) {}

    /** @param stored the attempts of the earlier runs */
    BlockedAttemptCounter(BlockedAttempts stored) {
        stored.counts().forEach(each -> counts.put(new AttemptKey(each.kind(), each.name()), each.count()));
    }

    /**
     * Counts a call that this run refused because its tool is not granted.
     *
     * @param tool the name of the tool, without secrets
     */
    void addRefusedCall(String tool) {
        counts.merge(key(BlockedAttemptKind.TOOL, tool, Set.of()), 1L, BlockedAttemptCounter::sum);
    }

    /** @param reported the attempts in the script since it began, as the sandbox reports them */
    void setReported(List<BlockedAttemptCount> reported) {
        // Several names can have one key: their secrets were redacted, or there are too many names.
        Map<AttemptKey, Long> sums = new LinkedHashMap<>();
        reported.forEach(each ->
                sums.merge(key(each.kind(), each.name(), sums.keySet()), each.count(), BlockedAttemptCounter::sum));
        sums.forEach((key, count) -> counts.merge(key, count, Math::max));
    }

    /**
     * Returns the key under which a name is counted: its own, or that of all further names of its kind.
     *
     * @param more keys that will be counted in addition to the present ones
     */
    private AttemptKey key(BlockedAttemptKind kind, String name, Set<AttemptKey> more) {
        AttemptKey key = new AttemptKey(kind, BlockedAccess.truncateName(name));
        long names = Stream.concat(counts.keySet().stream(), more.stream())
                .filter(each -> each.kind() == kind && !each.name().equals(FURTHER_NAMES))
                .distinct()
                .count();
        return counts.containsKey(key) || more.contains(key) || names < BlockedAttempts.MAX_NAMES
                ? key
                : new AttemptKey(kind, FURTHER_NAMES);
    }

    BlockedAttempts counts() {
        return counts.isEmpty()
                ? BlockedAttempts.NONE
                : new BlockedAttempts(counts.entrySet().stream()
                        .map(each -> new BlockedAttemptCount(
                                each.getKey().kind(), each.getKey().name(), each.getValue()))
                        .toList());
    }

    private static long sum(long before, long more) {
        return Math.min(before + more, BlockedAttempts.MAX_COUNT);
    }
}
