package org.sallyport.sandbox.guest;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sallyport.sandbox.BlockedAccess;
import org.sallyport.sandbox.BlockedAccess.BlockedAccessKind;

/**
 * Counts what a script used although scripts do not have it. Its size is bounded, however often and under however many
 * names a script tries. Not thread-safe.
 */
final class BlockedAccessCounter {
    private static final String FURTHER_NAMES = "";
    private static final String EMPTY_NAME = "(empty)";

    private final Map<BlockedAccessKind, Map<String, Long>> counts = new EnumMap<>(BlockedAccessKind.class);

    void record(BlockedAccessKind kind, String name) {
        Map<String, Long> names = counts.computeIfAbsent(kind, any -> new LinkedHashMap<>());
        String shown = name.isEmpty() ? EMPTY_NAME : BlockedAccess.truncateName(name);
        boolean separate = names.containsKey(shown) || names.size() < BlockedAccess.MAX_NAMES;
        names.merge(
                separate ? shown : FURTHER_NAMES, 1L, (before, one) -> Math.min(before + one, BlockedAccess.MAX_COUNT));
    }

    /** Returns the counts so far, by kind and in the order of the first use. */
    List<BlockedAccess> counts() {
        List<BlockedAccess> all = new ArrayList<>();
        counts.forEach((kind, names) -> names.forEach((name, count) -> all.add(new BlockedAccess(kind, name, count))));
        return all;
    }
}
