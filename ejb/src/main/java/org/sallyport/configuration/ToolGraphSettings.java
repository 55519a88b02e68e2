package org.sallyport.configuration;

import java.time.Duration;
import java.util.List;

/** Settings of the tool graph, which is learned from finished executions. */
public final class ToolGraphSettings {
    public static final Setting<Long> RETENTION_WEEKS = Setting.number(
            "sallyport.tool-graph.weeks",
            0,
            520,
            13,
            "Weeks for which the tool graph remembers what executions called, besides the current one; 0 to learn"
                    + " nothing.");
    public static final Setting<Duration> INGEST_DELAY = Setting.millis(
            "sallyport.tool-graph.ingest-delay-millis",
            100,
            3_600_000,
            30_000,
            "How long after its end the tool graph learns from an execution: longer than any commit takes.");

    static final List<Setting<?>> ALL = List.of(RETENTION_WEEKS, INGEST_DELAY);

    private ToolGraphSettings() {}
}
