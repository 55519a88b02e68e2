package org.sallyport.execution;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolName;

/**
 * Which executions are nested in which. Every method is one short transaction, committed when it returns, and throws {@link
 * StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface NestedExecutionStore {

    /** What was nested for this call; empty when nothing was. */
    Optional<ExecutionId> findChild(CallId call);

    /** What was nested for the calls {@code first} to {@code last} of {@code parent}, by their ordinals. */
    Map<Long, NestedExecution> findChildren(ExecutionId parent, long first, long last);

    /** What is nested in {@code parent} by its call {@code ordinal} would stand there. */
    ParentExecution parentFor(ExecutionId parent, long ordinal);

    /**
     * Stores {@code child} as {@link ExecutionState#PENDING}, once for each call.
     *
     * @param most executions that may be nested below one root
     */
    NestResult insertNested(NewExecution child, ParentExecution nesting, int most);

    /**
     * The tools that all others have called, as far as that is stored, of the tree of nested executions in which {@code member} stands, and of the trees of
     * those that it repeats; in no order. What nested another has stored its calls before, and what was nested has stored them when it has ended.
     */
    List<ToolName> toolsCalledInTree(ExecutionId member);

    /** Those whose parents have ended and that live on; forgets those that have ended too. */
    List<AbandonedExecution> findAbandoned(int limit);

    /**
     * An execution that answers a call.
     *
     * @param capability what it runs
     */
    record NestedExecution(ExecutionId id, Optional<CapabilityRef> capability) {}

    /** An execution that nobody waits for. */
    record AbandonedExecution(String tenant, ExecutionId id) {}

    /** What became of it. */
    sealed interface NestResult {
        /** It is stored. */
        record NestedExecutionStored(ExecutionId id) implements NestResult {}

        /** It was, by an earlier run of the same call. */
        record NestedExecutionExists(ExecutionId id) implements NestResult {}

        /** The parent has ended; nothing is stored. */
        record ParentEnded() implements NestResult {}

        /** There are as many below the root as may be; nothing is stored. */
        record TooManyNestedExecutions() implements NestResult {}
    }
}
