package org.sallyport.toolgraph;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.sallyport.cache.BoundedCaches;
import org.sallyport.execution.StoreUnavailableException;

/** Reads the tool graph within its retention. Thread-safe. */
public final class ToolGraphService {
    /** Maximum age of the graph that searches use. */
    private static final Duration MAX_CACHE_AGE = Duration.ofSeconds(10);

    private static final int MAX_CACHED = 50;
    private static final long MAX_CACHED_BYTES = 16L << 20;
    /** A node, an edge or an intent, with two names that it does not share. */
    private static final long BYTES_PER_ELEMENT = 200;

    private final Map<String, CachedToolGraph> cache =
            BoundedCaches.ofBytes(MAX_CACHED, MAX_CACHED_BYTES, (tenant, cached) -> sizeOf(cached.graph()));

    private final ToolGraphStore store;
    private final int weeks;
    private final InstantSource clock;

    private record CachedToolGraph(ToolGraph graph, Instant at) {}

    /** @param weeks retention in complete weeks, besides the current week */
    public ToolGraphService(ToolGraphStore store, int weeks, InstantSource clock) {
        this.store = store;
        this.weeks = weeks;
        this.clock = clock;
    }

    private static long sizeOf(ToolGraph graph) {
        int elements = graph.nodes().size()
                + graph.edges().size()
                + graph.toolIntents().size();
        return BYTES_PER_ELEMENT * elements;
    }

    /** Returns the start of the first week that counts for a request since {@code since}. */
    public Instant firstWeekStart(Optional<Instant> since) {
        return WeekBucket.startOf(firstWeek(since));
    }

    private int firstWeek(Optional<Instant> since) {
        int oldest = WeekBucket.of(clock.instant()) - weeks;
        return since.map(moment -> Math.max(oldest, WeekBucket.of(moment))).orElse(oldest);
    }

    /** Returns the tenant's graph since the week of {@code since}. Waits for the store. */
    public ToolGraph graphSince(String tenant, Optional<Instant> since) {
        return store.read(tenant, firstWeek(since));
    }

    /** Returns the tenant's graph as of some seconds ago; an empty graph when the store does not answer. */
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
