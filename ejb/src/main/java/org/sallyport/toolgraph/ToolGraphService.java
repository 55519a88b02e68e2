package org.sallyport.toolgraph;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.StoreUnavailableException;

/** Answers what was learned, as far back as it is kept. Thread-safe. */
public final class ToolGraphService {
    /** What a search goes by may be so old. */
    private static final Duration MAX_CACHE_AGE = Duration.ofSeconds(10);

    private static final int MAX_CACHED = 50;

    /** Those that were asked for last. */
    private final Map<String, CachedToolGraph> cache =
            Collections.synchronizedMap(new LinkedHashMap<>(MAX_CACHED, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, CachedToolGraph> eldest) {
                    return size() > MAX_CACHED;
                }
            });

    private final ToolGraphStore store;
    private final int weeks;
    private final InstantSource clock;

    private record CachedToolGraph(ToolGraph graph, Instant at) {}

    /** @param weeks how many are kept besides the one that is not over */
    public ToolGraphService(ToolGraphStore store, int weeks, InstantSource clock) {
        this.store = store;
        this.weeks = weeks;
        this.clock = clock;
    }

    /** The beginning of the first week that is counted for somebody who asks for what was {@code since}. */
    public Instant firstWeekStart(Optional<Instant> since) {
        return WeekBucket.startOf(firstWeek(since));
    }

    private int firstWeek(Optional<Instant> since) {
        int oldest = WeekBucket.of(clock.instant()) - weeks;
        return since.map(moment -> Math.max(oldest, WeekBucket.of(moment))).orElse(oldest);
    }

    /** What the tenant's executions have taught since the week of {@code since}; waits for the store. */
    public ToolGraph graphSince(String tenant, Optional<Instant> since) {
        return store.read(tenant, firstWeek(since));
    }

    /** What the tenant's executions have taught as of some seconds ago; nothing when the store does not answer. */
    public ToolGraph recentGraph(String tenant) {
        if (weeks == 0) {
            return ToolGraph.EMPTY;
        }
        Instant now = clock.instant();
        CachedToolGraph read = cache.get(tenant);
        if (read != null && Duration.between(read.at(), now).abs().compareTo(MAX_CACHE_AGE) < 0) {
            return read.graph();
        }
        try {
            ToolGraph graph = graphSince(tenant, Optional.empty());
            cache.put(tenant, new CachedToolGraph(graph, now));
            return graph;
        } catch (StoreUnavailableException e) {
            return ToolGraph.EMPTY;
        }
    }
}
