package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionState;

/**
 * Counts the items of batches by state, for lists. Counting reads all items of a batch, so the counts of finished
 * batches are kept for a minute; after that, some of the executions may have been deleted. Thread-safe.
 */
@ApplicationScoped
class BatchStateCounter {
    private static final int MAX_KEPT = 1_000;
    private static final Duration MAX_AGE = Duration.ofMinutes(1);

    @Inject
    BatchStore store;

    private final InstantSource clock = InstantSource.system();
    private final Map<BatchId, KeptCounts> kept = new LinkedHashMap<>();

    private record KeptCounts(Map<ExecutionState, Integer> counts, Instant until) {}

    /** Returns the number of items whose executions are in each state. */
    Map<ExecutionState, Integer> count(BatchId batch) {
        return find(batch).orElseGet(() -> {
            Map<ExecutionState, Integer> counts = store.countByState(batch);
            if (BatchMapper.isFinished(counts)) {
                keep(batch, counts);
            }
            return counts;
        });
    }

    private synchronized Optional<Map<ExecutionState, Integer>> find(BatchId id) {
        return Optional.ofNullable(kept.get(id))
                .filter(known -> clock.instant().isBefore(known.until()))
                .map(KeptCounts::counts);
    }

    private synchronized void keep(BatchId id, Map<ExecutionState, Integer> counts) {
        kept.remove(id);
        kept.put(id, new KeptCounts(counts, clock.instant().plus(MAX_AGE)));
        if (kept.size() > MAX_KEPT) {
            kept.remove(kept.keySet().iterator().next());
        }
    }
}
