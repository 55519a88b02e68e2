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
import org.sallyport.catalog.Contracts.Breach;
import org.sallyport.execution.CapabilityRef;

/**
 * What was found out of single tools, for a minute: an execution that failed is looked at again and again, and by many at once. Who asks what
 * somebody else is finding out waits for that. Thread-safe.
 */
final class KnownBreaches {
    /** Runs that go well meanwhile are not noticed for so long; a tool that is declared anew is another question. */
    static final Duration LONGEST = Duration.ofMinutes(1);

    static final int MOST = 500;

    private final InstantSource clock;

    private final Map<Question, Known> known = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, Known> eldest) {
            return size() > MOST;
        }
    };

    /**
     * Whether a version would break of a tool.
     *
     * @param declared what stands for the definition that the tool has now; empty when there is none
     * @param accepted the same of the one that counts
     */
    record Question(
            String tenant, CapabilityRef version, String tool, Optional<String> declared, Optional<String> accepted) {}

    private record Known(CompletableFuture<Optional<Breach>> answer, Instant until) {}

    KnownBreaches(InstantSource clock) {
        this.clock = clock;
    }

    /** The answer, found out if it is not known; what that throws is thrown here, and is not kept. */
    Optional<Breach> of(Question question, Supplier<Optional<Breach>> finding) {
        Known mine = new Known(new CompletableFuture<>(), clock.instant().plus(LONGEST));
        Known others = ask(question, mine);
        if (others != null) {
            return heard(others);
        }
        try {
            Optional<Breach> found = finding.get();
            mine.answer().complete(found);
            return found;
        } catch (RuntimeException | Error e) {
            forget(question, mine);
            mine.answer().completeExceptionally(e);
            throw e;
        }
    }

    /** What the other found out, or failed of. */
    private static Optional<Breach> heard(Known others) {
        try {
            return others.answer().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private synchronized @Nullable Known ask(Question question, Known mine) {
        Known before = known.get(question);
        if (before != null && clock.instant().isBefore(before.until())) {
            return before;
        }
        known.put(question, mine);
        return null;
    }

    private synchronized void forget(Question question, Known mine) {
        known.remove(question, mine);
    }
}
