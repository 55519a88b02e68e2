package org.sallyport.sandbox.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Tries the ways that there are, the best one first, with a command that does what a worker does at its start. */
final class Detection {
    private final Programs programs;
    private final Surroundings surroundings;
    private final Trial trial;

    Detection(Programs programs, Surroundings surroundings, Trial trial) {
        this.programs = programs;
        this.surroundings = surroundings;
        this.trial = trial;
    }

    Enclosure best() {
        for (Enclosure whole : whole()) {
            if (works(whole)) {
                return whole;
            }
        }
        return remainder();
    }

    private List<Enclosure> whole() {
        Optional<Path> setpriv = programs.find("setpriv");
        Optional<Path> prlimit = programs.find("prlimit");
        if (setpriv.isEmpty() || prlimit.isEmpty()) {
            return List.of();
        }
        Privileges privileges = new Privileges(setpriv.get(), surroundings.root());
        ResourceLimits limits = new ResourceLimits(prlimit.get(), surroundings.memoryBytes());
        List<Enclosure> ways = new ArrayList<>();
        Optional<Path> unshare = programs.find("unshare");
        Optional<Path> shell = programs.find("sh");
        if (unshare.isPresent() && shell.isPresent() && programs.find("mount").isPresent()) {
            FileView view = view(List.of(setpriv.get()));
            ways.add(new Namespaces(programs, unshare.get(), shell.get(), privileges, limits, view));
        }
        programs.find("bwrap").ifPresent(bwrap -> {
            FileView view = view(List.of(setpriv.get(), prlimit.get()));
            ways.add(new Bubble(bwrap, privileges, limits, view));
        });
        return ways;
    }

    private FileView view(List<Path> inside) {
        try {
            return new FileView(surroundings.javaHome(), inside);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private Enclosure remainder() {
        List<Remainder.Part> parts = new ArrayList<>();
        programs.find("setpriv")
                .map(setpriv -> new Privileges(setpriv, false))
                .ifPresent(setpriv -> addIfItWorks(
                        parts,
                        new Remainder.Part(
                                Set.of(), (cell, command) -> Lists.joined(setpriv.dyingWithParent(), command))));
        programs.find("unshare").ifPresent(unshare -> {
            tryNamespace(parts, unshare, Set.of(Means.NO_NETWORK), List.of("--net"));
            tryNamespace(parts, unshare, Set.of(Means.OWN_IPC), List.of("--ipc", "--uts"));
            tryNamespace(parts, unshare, Set.of(Means.OWN_PROCESSES), List.of("--pid", "--fork", "--kill-child=KILL"));
        });
        Optional<Path> prlimit = programs.find("prlimit");
        prlimit.map(path -> new ResourceLimits(path, surroundings.memoryBytes()))
                .ifPresent(limits -> addIfItWorks(
                        parts,
                        new Remainder.Part(
                                Set.of(Means.RESOURCE_LIMITS),
                                (cell, command) -> Lists.joined(limits.arguments(surroundings.root()), command))));
        programs.find("setpriv").ifPresent(setpriv -> dropPrivileges(parts, setpriv));
        return new Remainder(parts);
    }

    private void tryNamespace(List<Remainder.Part> parts, Path unshare, Set<Means> provides, List<String> flags) {
        List<String> user = surroundings.root() ? List.of() : List.of("--user", "--map-root-user");
        addIfItWorks(
                parts,
                new Remainder.Part(
                        provides,
                        (cell, command) -> cell.network() && provides.contains(Means.NO_NETWORK)
                                ? command
                                : Lists.joined(List.of(unshare.toString()), user, flags, command)));
    }

    private void dropPrivileges(List<Remainder.Part> parts, Path setpriv) {
        Privileges own = new Privileges(setpriv, true);
        Privileges same = new Privileges(setpriv, false);
        boolean done = surroundings.root()
                && addIfItWorks(
                        parts,
                        new Remainder.Part(
                                EnumSet.of(Means.OWN_USER, Means.NO_NEW_PRIVILEGES),
                                (cell, command) -> Lists.joined(own.dropping(cell), command)));
        done = done
                || addIfItWorks(
                        parts,
                        new Remainder.Part(
                                Set.of(Means.NO_NEW_PRIVILEGES),
                                (cell, command) -> Lists.joined(same.dropping(cell), command)));
        // A root that may not give up capabilities keeps them: that must not look like having none.
        if (!done && !surroundings.root()) {
            addIfItWorks(
                    parts,
                    new Remainder.Part(
                            Set.of(Means.NO_NEW_PRIVILEGES),
                            (cell, command) -> Lists.joined(same.droppingLittle(), command)));
        }
    }

    private boolean addIfItWorks(List<Remainder.Part> parts, Remainder.Part part) {
        parts.add(part);
        if (works(new Remainder(parts))) {
            return true;
        }
        parts.remove(parts.size() - 1);
        return false;
    }

    private boolean works(Enclosure enclosure) {
        return trial.succeeds(enclosure.around(surroundings.cell(), surroundings.rehearsal()));
    }
}
