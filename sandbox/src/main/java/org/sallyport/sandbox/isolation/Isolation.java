package org.sallyport.sandbox.isolation;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The isolation of workers by the operating system. Detected by trial, in this order, until the probe command succeeds:
 *
 * <ol>
 *   <li>namespaces by {@code unshare} with their own file system by {@code mount}, limits by {@code prlimit},
 *       privileges dropped by {@code setpriv}: provides all features but {@code own-session};
 *   <li>{@code bwrap} with {@code prlimit} and {@code setpriv}: provides the same features;
 *   <li>each namespace, the limits, an own user and the privilege drop separately, as far as each works: provides the
 *       features that worked, and never {@code own-files}.
 * </ol>
 *
 * <p>Each of these runs in a session of its own by {@code setsid}, which provides {@code own-session} if it works.
 *
 * <p>Immutable.
 */
public final class Isolation {
    private final IsolationStrategy strategy;
    private final ProcessSession processSession;

    private Isolation(IsolationStrategy enclosure, ProcessSession processSession) {
        this.strategy = enclosure;
        this.processSession = processSession;
    }

    /** Returns an isolation without any feature. */
    public static Isolation none() {
        return new Isolation(new BestEffortIsolation(List.of()), ProcessSession.NONE);
    }

    /** Tries the available strategies; usually takes less than a second. */
    public static Isolation detect(SystemPrograms programs, IsolationEnvironment surroundings) {
        return detect(
                programs,
                surroundings,
                CommandProbe.inDirectory(surroundings.probeSpec().directory()));
    }

    static Isolation detect(SystemPrograms programs, IsolationEnvironment surroundings, CommandProbe trial) {
        ProcessSession session = ProcessSession.detect(programs, trial);
        IsolationDetector detector = new IsolationDetector(
                programs, surroundings, trial, session.features().contains(IsolationFeature.OWN_SESSION));
        return new Isolation(detector.detect(), session);
    }

    /** Returns the command that runs a worker's {@code command} with the detected isolation. */
    public List<String> wrapCommand(WorkerIsolationSpec cell, List<String> command) {
        return processSession.wrapCommand(cell.niceness(), strategy.wrapCommand(cell, command));
    }

    /** Returns whether workers have this feature. */
    public boolean hasFeature(IsolationFeature means) {
        return features().contains(means);
    }

    /** Returns the names of the features that workers have. */
    public List<String> activeFeatures() {
        return names(features());
    }

    /** Returns the names of the features that workers lack. */
    public List<String> missingFeatures() {
        Set<IsolationFeature> lacking = EnumSet.allOf(IsolationFeature.class);
        lacking.removeAll(features());
        return names(lacking);
    }

    private Set<IsolationFeature> features() {
        Set<IsolationFeature> all = EnumSet.noneOf(IsolationFeature.class);
        all.addAll(processSession.features());
        all.addAll(strategy.features());
        return all;
    }

    private static List<String> names(Set<IsolationFeature> means) {
        return means.stream().sorted().map(IsolationFeature::displayName).toList();
    }
}
