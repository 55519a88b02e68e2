package org.sallyport.catalog;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.CapabilityContractChecker.ContractBreach;
import org.sallyport.execution.CapabilityRef;

/**
 * What was found out of single tools, for a minute: an execution that failed is looked at again and again, and by many at once. Who asks what
 * somebody else is finding out waits for that. Thread-safe.
 */
final class ContractBreachCache {
    /** Runs that go well meanwhile are not noticed for so long; a tool that is declared anew is another question. */
    static final Duration TTL = Duration.ofMinutes(1);

    static final int MAX_ENTRIES = 500;

    private final InstantSource clock;

    private final Map<ContractBreachKey, CachedBreach> entries = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ContractBreachKey, CachedBreach> eldest) {
            return size() > MAX_ENTRIES;
        }
    };

    /**
     * Whether a version would break of a tool.
     *
     * @param currentHash what stands for the definition that the tool has now; empty when there is none
     * @param acceptedHash the same of the one that counts
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

    /** The answer, found out if it is not known; what that throws is thrown here, and is not kept. */
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
            remove(question, mine);
            mine.result().completeExceptionally(e);
            throw e;
        }
    }

    /** What the other found out, or failed of. */
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

    private synchronized void remove(ContractBreachKey question, CachedBreach mine) {
        entries.remove(question, mine);
    }
}
