package org.sallyport.catalog;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.cache.RecentEntries;
import org.sallyport.catalog.CapabilityContractChecker.ContractBreach;
import org.sallyport.execution.CapabilityRef;

/**
 * Caches contract breaches of single tools for one minute, because many clients read a failed execution repeatedly.
 * Concurrent requests for the same key wait for one check. Thread-safe.
 */
final class ContractBreachCache {
    /** Successful runs within this time are not noticed; a changed declaration of the tool has another key. */
    static final Duration TTL = Duration.ofMinutes(1);

    static final int MAX_ENTRIES = 500;

    private final InstantSource clock;

    /** Never drops an entry that was just added: other threads wait for its result. */
    private final RecentEntries<ContractBreachKey, CachedBreach> entries = new RecentEntries<>(MAX_ENTRIES);

    /**
     * Identifies the check of one tool for one version.
     *
     * @param currentHash hash of the tool's current definition; empty when there is none
     * @param acceptedHash hash of the tool's accepted definition; empty when there is none
     */
    record ContractBreachKey(
            String tenant,
            CapabilityRef version,
            String tool,
            Optional<String> currentHash,
            Optional<String> acceptedHash) {}

    private record CachedBreach(CompletableFuture<Optional<ContractBreach>> result, Instant expiresAt) {}

    ContractBreachCache(InstantSource clock) {
        this.clock = clock;
    }

    /** Returns the cached result or computes it. An exception of {@code finding} is thrown and not cached. */
    Optional<ContractBreach> get(ContractBreachKey question, Supplier<Optional<ContractBreach>> finding) {
        CachedBreach mine =
                new CachedBreach(new CompletableFuture<>(), clock.instant().plus(TTL));
        CachedBreach others = getOrAdd(question, mine);
        if (others != null) {
            return awaitResult(others);
        }
        try {
            Optional<ContractBreach> found = finding.get();
            mine.result().complete(found);
            return found;
        } catch (RuntimeException | Error e) {
            entries.remove(question, mine);
            mine.result().completeExceptionally(e);
            throw e;
        }
    }

    /** Waits for the result of the other thread; throws its exception if it failed. */
    private static Optional<ContractBreach> awaitResult(CachedBreach others) {
        try {
            return others.result().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private synchronized @Nullable CachedBreach getOrAdd(ContractBreachKey question, CachedBreach mine) {
        CachedBreach before = entries.get(question);
        if (before != null && clock.instant().isBefore(before.expiresAt())) {
            return before;
        }
        entries.put(question, mine);
        return null;
    }
}
