package org.sallyport.execution;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Selects the executions of a list; all conditions must hold.
 *
 * @param states the states to show; empty for all
 * @param capability the name of the capability whose executions to show, or one version of it as {@code name@version}
 * @param labels labels as {@code key:value}; an execution must have all of them
 * @param tools tools as {@code backend.tool}; an execution must have called all of them
 * @param rerunOf the execution that they re-run
 * @param parent the execution in which they are nested
 * @param since earliest acceptance, inclusive
 * @param finishedWithin maximum time since their end
 * @param includesUnfinished whether {@code finishedWithin} admits executions that have not ended, too
 * @param text text in their code preview, intent, labels, capability or error, ignoring case; or the beginning of their
 *     id
 * @param submitter id of the caller who submitted them
 * @param outsideBatches whether to show only executions that belong to no batch
 */
public record ExecutionFilter(
        Set<ExecutionState> states,
        Optional<String> capability,
        List<String> labels,
        List<String> tools,
        Optional<ExecutionId> rerunOf,
        Optional<ExecutionId> parent,
        Optional<Instant> since,
        Optional<Duration> finishedWithin,
        boolean includesUnfinished,
        Optional<String> text,
        Optional<String> submitter,
        boolean outsideBatches) {
    /** Selects all executions that belong to no batch. */
    public static final ExecutionFilter OUTSIDE_BATCHES = new ExecutionFilter(
            Set.of(),
            Optional.empty(),
            List.of(),
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false,
            Optional.empty(),
            Optional.empty(),
            true);

    public ExecutionFilter {
        states = Set.copyOf(states);
        labels = List.copyOf(labels);
        tools = List.copyOf(tools);
    }

    /** Returns a copy that selects these states. */
    public ExecutionFilter withStates(Set<ExecutionState> others) {
        return new ExecutionFilter(
                others,
                capability,
                labels,
                tools,
                rerunOf,
                parent,
                since,
                finishedWithin,
                includesUnfinished,
                text,
                submitter,
                outsideBatches);
    }

    /** Creates a filter by states only. */
    public ExecutionFilter(Set<ExecutionState> states) {
        this(states, Optional.empty());
    }

    /** Returns a filter for the executions nested in {@code parent}. */
    public static ExecutionFilter nestedIn(ExecutionId parent) {
        return new ExecutionFilter(
                Set.of(),
                Optional.empty(),
                List.of(),
                List.of(),
                Optional.empty(),
                Optional.of(parent),
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                Optional.empty(),
                false);
    }

    /** Creates a filter by states and capability only. */
    public ExecutionFilter(Set<ExecutionState> states, Optional<String> capability) {
        this(
                states,
                capability,
                List.of(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                Optional.empty(),
                false);
    }
}
