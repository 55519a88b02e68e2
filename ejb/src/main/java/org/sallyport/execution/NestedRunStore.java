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
public interface NestedRunStore {

    /** What was nested for this call; empty when nothing was. */
    Optional<ExecutionId> child(CallId call);

    /** What was nested for the calls {@code first} to {@code last} of {@code parent}, by their ordinals. */
    Map<Long, Nested> children(ExecutionId parent, long first, long last);

    /** What is nested in {@code parent} by its call {@code ordinal} would stand there. */
    Nesting below(ExecutionId parent, long ordinal);

    /**
     * Stores {@code child} as {@link ExecutionState#PENDING}, once for each call.
     *
     * @param most executions that may be nested below one root
     */
    Answer nest(NewExecution child, Nesting nesting, int most);

    /**
     * The tools that all others have called, as far as that is stored, of the tree of nested executions in which {@code member} stands, and of the trees of
     * those that it repeats; in no order. What nested another has stored its calls before, and what was nested has stored them when it has ended.
     */
    List<ToolName> calledAround(ExecutionId member);

    /** Those whose parents have ended and that live on; forgets those that have ended too. */
    List<Abandoned> abandoned(int limit);

    /**
     * An execution that answers a call.
     *
     * @param capability what it runs
     */
    record Nested(ExecutionId id, Optional<CapabilityRef> capability) {}

    /** An execution that nobody waits for. */
    record Abandoned(String tenant, ExecutionId id) {}

    /** What became of it. */
    sealed interface Answer {
        /** It is stored. */
        record Stored(ExecutionId id) implements Answer {}

        /** It was, by an earlier run of the same call. */
        record IsThere(ExecutionId id) implements Answer {}

        /** The parent has ended; nothing is stored. */
        record NoParent() implements Answer {}

        /** There are as many below the root as may be; nothing is stored. */
        record TooMany() implements Answer {}
    }
}
