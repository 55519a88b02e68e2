package org.sallyport.bench.service;

import java.util.Map;
import java.util.TreeMap;

/**
 * Metrics of a node at one moment.
 *
 * @param values by name with labels, as in {@code sallyport_executions{state="WAITING"}}
 */
public record NodeGauges(Map<String, Double> values) {
    public NodeGauges {
        values = Map.copyOf(values);
    }

    /** Parses the text format of Prometheus. */
    static NodeGauges parse(String text) {
        Map<String, Double> values = new TreeMap<>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            int blank = line.lastIndexOf(' ');
            if (blank > 0) {
                values.put(line.substring(0, blank), number(line.substring(blank + 1)));
            }
        });
        return new NodeGauges(values);
    }

    /** Returns the number of tool calls that are sent and not answered. */
    public long openCalls() {
        return value("sallyport_open_calls");
    }

    /** Returns the number of executions in memory. */
    public long liveExecutions() {
        return value("sallyport_live_executions");
    }

    /** Returns the number of worker processes that are ready or have been. */
    public long readyWorkers() {
        return value("sallyport_workers");
    }

    /** Returns the number of parked executions. */
    public long parkedExecutions() {
        return value("sallyport_executions{state=\"WAITING\"}");
    }

    private long value(String name) {
        return Math.round(values.getOrDefault(name, 0.0));
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException infinite) {
            return Double.NaN;
        }
    }
}
