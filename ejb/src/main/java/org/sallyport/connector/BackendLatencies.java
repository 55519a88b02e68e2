package org.sallyport.connector;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Latencies of the recent calls of a backend, in total and by the names of tools that were called. Thread-safe. */
final class BackendLatencies {
    private final InstantSource clock;
    private final LatencyHistogram total;
    private final Map<String, LatencyHistogram> byTool = new ConcurrentHashMap<>();

    BackendLatencies(InstantSource clock) {
        this.clock = clock;
        this.total = new LatencyHistogram(clock);
    }

    void recordLatency(Duration latency) {
        total.recordDuration(latency);
    }

    void recordLatencyOfTool(String tool, Duration latency) {
        byTool.computeIfAbsent(tool, any -> new LatencyHistogram(clock)).recordDuration(latency);
    }

    /** Removes the latencies of all other tools. */
    void retainTools(Set<String> names) {
        byTool.keySet().retainAll(names);
    }

    LatencyHistogram.LatencyPercentiles percentiles() {
        return total.percentiles();
    }

    Map<String, LatencyHistogram.LatencyPercentiles> percentilesByTool() {
        Map<String, LatencyHistogram.LatencyPercentiles> all = new TreeMap<>();
        byTool.forEach((tool, times) -> all.put(tool, times.percentiles()));
        return all;
    }
}
