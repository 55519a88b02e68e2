package org.sallyport.execution;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolName;

/**
 * Stores the relation between executions and their nested executions. Every method is one short transaction, committed
 * when it returns, and throws {@link StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface NestedExecutionStore {

    /** Returns the execution nested for this call; empty when there is none. */
    Optional<ExecutionId> findChild(CallId call);

    /**
     * Returns the executions nested for the calls {@code first} to {@code last} of {@code parent}, by their ordinals.
     */
    Map<Long, NestedExecution> findChildren(ExecutionId parent, long first, long last);

    /** Returns the position in the tree of an execution nested for call {@code ordinal} of {@code parent}. */
    ParentExecution parentFor(ExecutionId parent, long ordinal);

    /**
     * Stores {@code child} as {@link ExecutionState#PENDING}, once for each call. When the store did not answer, the
     * same child may be inserted again.
     *
     * @param maxNested maximum number of executions nested below one root
     */
    NestResult insertNested(NewExecution child, ParentExecution nesting, int maxNested);

    /**
     * Returns the tools that all other executions in the tree of {@code member} have called, and those in the trees of
     * the executions that it re-runs, as far as stored; in no order. An execution that nests another has stored its
     * calls before; a nested execution has stored its calls when it has ended.
     */
    List<ToolName> toolsCalledInTree(ExecutionId member);

    /** Returns unfinished nested executions whose parents have ended, and forgets those that have ended too. */
    List<AbandonedExecution> findAbandoned(int limit);

    /**
     * An execution that answers a call.
     *
     * @param capability the capability that it runs
     */
    record NestedExecution(ExecutionId id, Optional<CapabilityRef> capability) {}

    /** A nested execution whose parent no longer waits for it. */
    record AbandonedExecution(String tenant, ExecutionId id) {}

    /** Outcome of storing a nested execution. */
    sealed interface NestResult {
        /** The execution is stored. */
        record NestedExecutionStored(ExecutionId id) implements NestResult {}

        /** An earlier attempt stored an execution for the same call. */
        record NestedExecutionExists(ExecutionId id) implements NestResult {}

        /** The parent has ended; nothing is stored. */
        record ParentEnded() implements NestResult {}

        /** The maximum number of executions below the root is reached; nothing is stored. */
        record TooManyNestedExecutions() implements NestResult {}
    }
}
