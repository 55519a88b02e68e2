package org.sallyport.bench.service;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.sallyport.bench.measure.WrongResultException;

/** Numbers of executions that the service lists, by state. */
public record StateCounts(Map<String, Long> byState) {
    public StateCounts {
        byState = Map.copyOf(byState);
    }

    /** Counts all executions of the service. */
    public static StateCounts fetch(BenchmarkClient client)
            throws IOException, InterruptedException, WrongResultException {
        Map<String, Long> counts = new TreeMap<>();
        client.forEachNewest(Integer.MAX_VALUE, execution -> counts.merge(execution.state(), 1L, Long::sum));
        return new StateCounts(counts);
    }

    public long total() {
        return byState.values().stream().mapToLong(Long::longValue).sum();
    }

    public long count(String state) {
        return byState.getOrDefault(state, 0L);
    }

    /** Returns the changes since an earlier count, without the states whose count is unchanged. */
    public StateCounts minus(StateCounts earlier) {
        Map<String, Long> difference = new TreeMap<>(byState);
        earlier.byState.forEach((state, count) -> difference.merge(state, -count, Long::sum));
        difference.values().removeIf(count -> count == 0);
        return new StateCounts(difference);
    }
}
