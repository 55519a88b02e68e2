package org.sallyport.toolgraph;

import java.time.Duration;
import java.util.function.BinaryOperator;

/**
 * Stores the tool graph of each tenant. Each method is one transaction or read; throws
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ToolGraphStore {
    /** Maximum number of tools stored per tenant and week; beyond it, the least called ones are dropped. */
    int MAX_TOOLS = 300;
    /** Maximum number of pairs of tools per tenant and week. */
    int MAX_TRANSITIONS = 1_500;
    /** Maximum number of pairs of a word and a tool per tenant and week. */
    int MAX_INTENTS = 3_000;

    /**
     * Bounds of one step.
     *
     * @param ingestDelay how long ago an execution must have ended; by then its end is committed, even in a long
     *     transaction
     * @param maxExecutions maximum number of executions
     * @param maxEvents maximum number of trace events of all executions together, unless one execution alone has more;
     *     also the maximum read of one execution
     * @param retentionWeeks retention; executions that ended before are not ingested
     */
    record IngestLimits(Duration ingestDelay, int maxExecutions, int maxEvents, int retentionWeeks) {}

    /**
     * Ingests executions of all tenants that have ended since the last step, each exactly once. Does nothing while
     * another node ingests.
     *
     * @param redaction redacts an intent; takes the tenant and the intent
     * @return whether there may be more to ingest
     */
    boolean ingest(IngestLimits stride, BinaryOperator<String> redaction);

    /** Deletes some of the data of weeks before {@code week}. Returns whether there may be more. */
    boolean deleteBefore(int week);

    /**
     * Returns the tenant's graph since the start of {@code week}. Each list is bounded like the data of one week and
     * holds the most frequent entries.
     */
    ToolGraph read(String tenant, int week);
}
