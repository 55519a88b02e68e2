package org.sallyport.sandbox.isolation;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * The fallback strategy: nests all isolation steps that work on their own. The file system remains the host's.
 *
 * @param steps outermost first
 */
record BestEffortIsolation(List<IsolationStep> steps) implements IsolationStrategy {
    BestEffortIsolation {
        steps = List.copyOf(steps);
    }

    /** One program with its arguments, and the features that it provides. */
    record IsolationStep(
            Set<IsolationFeature> provides, BiFunction<WorkerIsolationSpec, List<String>, List<String>> wrap) {}

    @Override
    public Set<IsolationFeature> features() {
        Set<IsolationFeature> all = EnumSet.noneOf(IsolationFeature.class);
        steps.forEach(part -> all.addAll(part.provides()));
        return all;
    }

    @Override
    public List<String> wrapCommand(WorkerIsolationSpec cell, List<String> command) {
        List<String> wrapped = command;
        for (int i = steps.size() - 1; i >= 0; i--) {
            wrapped = steps.get(i).wrap().apply(cell, wrapped);
        }
        return wrapped;
    }
}
