package org.sallyport.bench.service;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.sallyport.bench.measure.WrongResultException;

/**
 * How many executions the service lists, by state.
 */
public record Census(Map<String, Long> byState) {
    public Census {
        byState = Map.copyOf(byState);
    }

    /** Goes through the whole list. */
    public static Census take(Client client) throws IOException, InterruptedException, WrongResultException {
        Map<String, Long> counts = new TreeMap<>();
        client.each(Integer.MAX_VALUE, execution -> counts.merge(execution.state(), 1L, Long::sum));
        return new Census(counts);
    }

    public long total() {
        return byState.values().stream().mapToLong(Long::longValue).sum();
    }

    public long of(String state) {
        return byState.getOrDefault(state, 0L);
    }

    /** What has come since an earlier one. */
    public Census since(Census earlier) {
        Map<String, Long> difference = new TreeMap<>(byState);
        earlier.byState.forEach((state, count) -> difference.merge(state, -count, Long::sum));
        difference.values().removeIf(count -> count == 0);
        return new Census(difference);
    }
}
