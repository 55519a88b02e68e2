package org.sallyport.toolgraph;

import java.time.Duration;
import java.util.function.BinaryOperator;

/**
 * What each tenant's executions have taught. Each method is one transaction or reads; throws {@link
 * org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ToolGraphStore {
    /** Tools that are kept of one tenant and week; beyond, those are forgotten that were called least. */
    int MAX_TOOLS = 300;
    /** Pairs of tools. */
    int MAX_TRANSITIONS = 1_500;
    /** Pairs of a word and a tool. */
    int MAX_INTENTS = 3_000;

    /**
     * How far one step goes.
     *
     * @param ingestDelay how long ago an execution must have ended: by then its end is committed, whenever that was begun
     * @param maxExecutions at most so many
     * @param maxEvents of all their traces together at most so many, if one of them has not more; of one never more
     * @param retentionWeeks how long what was learned is kept: what ended before is not learned
     */
    record IngestLimits(Duration ingestDelay, int maxExecutions, int maxEvents, int retentionWeeks) {}

    /**
     * Learns from executions that have ended since those of the last step, of all tenants, each exactly once; nothing if another node
     * learns from them meanwhile.
     *
     * @param redaction of a tenant and an intent, the intent without what must not be seen
     * @return whether there may be more to learn from
     */
    boolean ingest(IngestLimits stride, BinaryOperator<String> redaction);

    /** Forgets something of what was learned in weeks before {@code week}; whether there may be more of it. */
    boolean deleteBefore(int week);

    /** What the tenant's executions have taught since the beginning of {@code week}; no more of each than is kept of one week, the most frequent. */
    ToolGraph read(String tenant, int week);
}
