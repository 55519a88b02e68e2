package org.sallyport.execution;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which executions a list shows: those to which all of it applies.
 *
 * @param states the states to show; empty for all
 * @param capability the name of the capability whose executions to show, or one version of it as {@code name@version}
 * @param labels {@code key:value}, each of which they carry
 * @param tools {@code backend.tool}, each of which they called
 * @param rerunOf what they repeat
 * @param parent what they are nested in
 * @param since accepted then or later
 * @param finishedWithin ended no longer ago
 * @param text what stands, in letters of either case, in their code's preview, intent, labels, capability or error; or what their
 *     id begins with
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
        Optional<String> text) {
    public ExecutionFilter {
        states = Set.copyOf(states);
        labels = List.copyOf(labels);
        tools = List.copyOf(tools);
    }

    /** One that looks at states only. */
    public ExecutionFilter(Set<ExecutionState> states) {
        this(states, Optional.empty());
    }

    /** One that looks at what is nested in {@code parent} only. */
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
                Optional.empty());
    }

    /** One that looks at states and capabilities only. */
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
                Optional.empty());
    }
}
