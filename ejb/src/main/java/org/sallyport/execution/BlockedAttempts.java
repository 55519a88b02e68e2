package org.sallyport.execution;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The attempts of a script to use what it may not use. Each was refused.
 *
 * @param counts one count for each kind and name, in the order of the first attempt
 */
public record BlockedAttempts(List<BlockedAttemptCount> counts) {
    public static final BlockedAttempts NONE = new BlockedAttempts(List.of());

    /** Maximum number of names that are counted separately, per kind. */
    public static final int MAX_NAMES = 10;

    public static final int MAX_NAME_LENGTH = 100;

    /** A count stops here. */
    public static final long MAX_COUNT = 1_000_000_000;

    public BlockedAttempts {
        counts = List.copyOf(counts);
    }

    /** What a script tried to use. */
    public enum BlockedAttemptKind {
        /** A global that scripts do not have, such as {@code Deno} or {@code fetch}. */
        GLOBAL,
        /** A module that is not registered. */
        MODULE,
        /** A tool that is not granted to the execution. */
        TOOL;

        /** Returns the name that clients see. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the kind with this name, if there is one. */
        public static Optional<BlockedAttemptKind> of(String text) {
            return Stream.of(values()).filter(kind -> kind.text().equals(text)).findFirst();
        }
    }

    /**
     * The attempts under one name.
     *
     * @param name at most {@value #MAX_NAME_LENGTH} characters; empty for all names of the kind after the first
     *     {@value #MAX_NAMES}
     * @param count at least 1
     */
    public record BlockedAttemptCount(BlockedAttemptKind kind, String name, long count) {}

    public boolean isEmpty() {
        return counts.isEmpty();
    }

    /** Returns the number of all attempts. */
    public long total() {
        return counts.stream().mapToLong(BlockedAttemptCount::count).sum();
    }
}
