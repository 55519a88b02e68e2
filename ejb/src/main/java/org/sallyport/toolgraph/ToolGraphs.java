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
public final class ToolGraphs {
    /** What a search goes by may be so old. */
    private static final Duration FRESH = Duration.ofSeconds(10);

    private static final int REMEMBERED = 50;

    /** Those that were asked for last. */
    private final Map<String, Read> remembered =
            Collections.synchronizedMap(new LinkedHashMap<>(REMEMBERED, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Read> eldest) {
                    return size() > REMEMBERED;
                }
            });

    private final ToolGraphStore store;
    private final int weeks;
    private final InstantSource clock;

    private record Read(ToolGraph graph, Instant at) {}

    /** @param weeks how many are kept besides the one that is not over */
    public ToolGraphs(ToolGraphStore store, int weeks, InstantSource clock) {
        this.store = store;
        this.weeks = weeks;
        this.clock = clock;
    }

    /** The beginning of the first week that is counted for somebody who asks for what was {@code since}. */
    public Instant from(Optional<Instant> since) {
        return Week.start(first(since));
    }

    private int first(Optional<Instant> since) {
        int oldest = Week.of(clock.instant()) - weeks;
        return since.map(moment -> Math.max(oldest, Week.of(moment))).orElse(oldest);
    }

    /** What the tenant's executions have taught since the week of {@code since}; waits for the store. */
    public ToolGraph of(String tenant, Optional<Instant> since) {
        return store.read(tenant, first(since));
    }

    /** What the tenant's executions have taught as of some seconds ago; nothing when the store does not answer. */
    public ToolGraph recent(String tenant) {
        if (weeks == 0) {
            return ToolGraph.EMPTY;
        }
        Instant now = clock.instant();
        Read read = remembered.get(tenant);
        if (read != null && Duration.between(read.at(), now).abs().compareTo(FRESH) < 0) {
            return read.graph();
        }
        try {
            ToolGraph graph = of(tenant, Optional.empty());
            remembered.put(tenant, new Read(graph, now));
            return graph;
        } catch (StoreUnavailableException e) {
            return ToolGraph.EMPTY;
        }
    }
}
