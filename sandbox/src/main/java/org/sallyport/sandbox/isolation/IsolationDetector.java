package org.sallyport.sandbox.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Tries the available strategies, best first, with a command that performs the first steps of a worker. */
final class IsolationDetector {
    private final SystemPrograms programs;
    private final IsolationEnvironment environment;
    private final CommandProbe probe;
    private final boolean hasSession;

    /** @param hasSession whether workers have a session of their own without these strategies */
    IsolationDetector(
            SystemPrograms programs, IsolationEnvironment surroundings, CommandProbe trial, boolean hasSession) {
        this.programs = programs;
        this.environment = surroundings;
        this.probe = trial;
        this.hasSession = hasSession;
    }

    IsolationStrategy detect() {
        for (IsolationStrategy whole : completeStrategies()) {
            if (works(whole)) {
                return whole;
            }
        }
        return bestEffort();
    }

    private List<IsolationStrategy> completeStrategies() {
        Optional<Path> setpriv = programs.find("setpriv");
        Optional<Path> prlimit = programs.find("prlimit");
        if (setpriv.isEmpty() || prlimit.isEmpty()) {
            return List.of();
        }
        PrivilegeDrop privileges = new PrivilegeDrop(setpriv.get(), environment.runsAsRoot());
        ResourceLimits limits = new ResourceLimits(prlimit.get(), environment.memoryBytes());
        List<IsolationStrategy> ways = new ArrayList<>();
        Optional<Path> unshare = programs.find("unshare");
        Optional<Path> shell = programs.find("sh");
        if (unshare.isPresent() && shell.isPresent() && programs.find("mount").isPresent()) {
            BindMounts view = bindMounts(List.of(setpriv.get()));
            ways.add(new NamespaceIsolation(programs, unshare.get(), shell.get(), privileges, limits, view));
        }
        programs.find("bwrap").ifPresent(bwrap -> {
            BindMounts view = bindMounts(List.of(setpriv.get(), prlimit.get()));
            ways.add(new BubblewrapIsolation(bwrap, privileges, limits, view, !hasSession));
        });
        return ways;
    }

    private BindMounts bindMounts(List<Path> inside) {
        try {
            return new BindMounts(environment.javaHome(), inside);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private IsolationStrategy bestEffort() {
        List<BestEffortIsolation.IsolationStep> parts = new ArrayList<>();
        programs.find("setpriv")
                .map(setpriv -> new PrivilegeDrop(setpriv, false))
                .ifPresent(setpriv -> addIfItWorks(
                        parts,
                        new BestEffortIsolation.IsolationStep(
                                Set.of(),
                                (cell, command) -> CommandLines.concat(setpriv.dieWithParentArguments(), command))));
        programs.find("unshare").ifPresent(unshare -> {
            tryNamespace(parts, unshare, Set.of(IsolationFeature.NO_NETWORK), List.of("--net"));
            tryNamespace(parts, unshare, Set.of(IsolationFeature.OWN_IPC), List.of("--ipc", "--uts"));
            tryNamespace(
                    parts,
                    unshare,
                    Set.of(IsolationFeature.OWN_PROCESSES),
                    List.of("--pid", "--fork", "--kill-child=KILL"));
        });
        Optional<Path> prlimit = programs.find("prlimit");
        prlimit.map(path -> new ResourceLimits(path, environment.memoryBytes()))
                .ifPresent(limits -> addIfItWorks(
                        parts,
                        new BestEffortIsolation.IsolationStep(
                                Set.of(IsolationFeature.RESOURCE_LIMITS),
                                (cell, command) ->
                                        CommandLines.concat(limits.arguments(environment.runsAsRoot()), command))));
        programs.find("setpriv").ifPresent(setpriv -> dropPrivileges(parts, setpriv));
        return new BestEffortIsolation(parts);
    }

    private void tryNamespace(
            List<BestEffortIsolation.IsolationStep> parts,
            Path unshare,
            Set<IsolationFeature> provides,
            List<String> flags) {
        List<String> user = environment.runsAsRoot() ? List.of() : List.of("--user", "--map-root-user");
        addIfItWorks(
                parts,
                new BestEffortIsolation.IsolationStep(
                        provides,
                        (cell, command) -> cell.networkAccess() && provides.contains(IsolationFeature.NO_NETWORK)
                                ? command
                                : CommandLines.concat(List.of(unshare.toString()), user, flags, command)));
    }

    private void dropPrivileges(List<BestEffortIsolation.IsolationStep> parts, Path setpriv) {
        PrivilegeDrop own = new PrivilegeDrop(setpriv, true);
        PrivilegeDrop same = new PrivilegeDrop(setpriv, false);
        boolean done = environment.runsAsRoot()
                && addIfItWorks(
                        parts,
                        new BestEffortIsolation.IsolationStep(
                                EnumSet.of(IsolationFeature.OWN_USER, IsolationFeature.NO_NEW_PRIVILEGES),
                                (cell, command) -> CommandLines.concat(own.dropArguments(cell), command)));
        done = done
                || addIfItWorks(
                        parts,
                        new BestEffortIsolation.IsolationStep(
                                Set.of(IsolationFeature.NO_NEW_PRIVILEGES),
                                (cell, command) -> CommandLines.concat(same.dropArguments(cell), command)));
        // A root server that may not drop capabilities keeps them; this must not be reported as having none.
        if (!done && !environment.runsAsRoot()) {
            addIfItWorks(
                    parts,
                    new BestEffortIsolation.IsolationStep(
                            Set.of(IsolationFeature.NO_NEW_PRIVILEGES),
                            (cell, command) -> CommandLines.concat(same.noNewPrivilegesArguments(), command)));
        }
    }

    private boolean addIfItWorks(
            List<BestEffortIsolation.IsolationStep> parts, BestEffortIsolation.IsolationStep part) {
        parts.add(part);
        if (works(new BestEffortIsolation(parts))) {
            return true;
        }
        parts.remove(parts.size() - 1);
        return false;
    }

    private boolean works(IsolationStrategy enclosure) {
        return probe.succeeds(enclosure.wrapCommand(environment.probeSpec(), environment.probeCommand()));
    }
}
