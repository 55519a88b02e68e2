package org.sallyport.sandbox.isolation;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What the operating system keeps from workers here. Found by trying, in this order, until a worker's rehearsal
 * succeeds:
 *
 * <ol>
 *   <li>namespaces by {@code unshare} with a file system of their own by {@code mount}, limits by {@code prlimit},
 *       privileges dropped by {@code setpriv}: everything;
 *   <li>{@code bwrap} with {@code prlimit} and {@code setpriv}: everything;
 *   <li>each namespace, the limits, an own user and the privileges alone, as far as each works: all that worked, and
 *       never {@code own-files}.
 * </ol>
 *
 * <p>Immutable.
 */
public final class Isolation {
    private final IsolationStrategy strategy;

    private Isolation(IsolationStrategy enclosure) {
        this.strategy = enclosure;
    }

    /** Nothing at all. */
    public static Isolation none() {
        return new Isolation(new BestEffortIsolation(List.of()));
    }

    /** Tries what is there; takes up to a second. */
    public static Isolation detect(SystemPrograms programs, IsolationEnvironment surroundings) {
        return detect(
                programs,
                surroundings,
                CommandProbe.inDirectory(surroundings.probeSpec().directory()));
    }

    static Isolation detect(SystemPrograms programs, IsolationEnvironment surroundings, CommandProbe trial) {
        return new Isolation(new IsolationDetector(programs, surroundings, trial).detect());
    }

    /** The command that runs a worker's {@code command} with all that was found. */
    public List<String> wrapCommand(WorkerIsolationSpec cell, List<String> command) {
        return strategy.wrapCommand(cell, command);
    }

    /** Whether workers have it here. */
    public boolean hasFeature(IsolationFeature means) {
        return strategy.features().contains(means);
    }

    /** Names of what workers have. */
    public List<String> activeFeatures() {
        return names(strategy.features());
    }

    /** Names of what workers lack. */
    public List<String> missingFeatures() {
        Set<IsolationFeature> lacking = EnumSet.allOf(IsolationFeature.class);
        lacking.removeAll(strategy.features());
        return names(lacking);
    }

    private static List<String> names(Set<IsolationFeature> means) {
        return means.stream().sorted().map(IsolationFeature::displayName).toList();
    }
}
