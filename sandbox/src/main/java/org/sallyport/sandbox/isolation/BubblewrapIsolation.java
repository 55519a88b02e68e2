package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The second strategy: {@code bwrap} does everything, also where only this program may create user namespaces. Provides
 * all features but the own session; if the server is root, {@code setpriv} gives the worker its own uid inside.
 */
final class BubblewrapIsolation implements IsolationStrategy {
    private final Path bwrap;
    private final PrivilegeDrop privileges;
    private final ResourceLimits limits;
    private final BindMounts bindMounts;
    private final boolean newSession;

    /**
     * @param view contains {@code setpriv} and {@code prlimit}, which run inside
     * @param newSession whether bwrap creates a session, because the worker has none of its own: a script must not
     *     reach the terminal of the server
     */
    BubblewrapIsolation(
            Path bwrap, PrivilegeDrop privileges, ResourceLimits limits, BindMounts view, boolean newSession) {
        this.bwrap = bwrap;
        this.privileges = privileges;
        this.limits = limits;
        this.bindMounts = view;
        this.newSession = newSession;
    }

    @Override
    public Set<IsolationFeature> features() {
        return EnumSet.complementOf(EnumSet.of(IsolationFeature.OWN_SESSION));
    }

    @Override
    public List<String> wrapCommand(WorkerIsolationSpec cell, List<String> command) {
        String directory = cell.directory().toString();
        List<String> shown = new ArrayList<>();
        // Parent directories that bwrap creates implicitly are closed to all other users.
        parentDirectories(cell).forEach(parent -> shown.addAll(List.of("--dir", parent.toString())));
        for (BindMounts.MountEntry entry : bindMounts.entriesFor(cell)) {
            String path = entry.path().toString();
            shown.addAll(
                    switch (entry.type()) {
                        case DIRECTORY, FILE -> List.of("--ro-bind", path, path);
                        case DEVICE -> List.of("--dev-bind", path, path);
                        case LINK -> List.of("--symlink", entry.target(), path);
                    });
        }
        return CommandLines.concat(
                List.of(bwrap.toString()),
                cell.networkAccess() ? List.of() : List.of("--unshare-net"),
                List.of("--unshare-pid", "--unshare-ipc", "--unshare-uts"),
                List.of("--hostname", "worker", "--die-with-parent", "--cap-drop", "ALL"),
                newSession ? List.of("--new-session") : List.of(),
                userArguments(cell),
                shown,
                List.of("--proc", "/proc", "--dir", directory, "--remount-ro", "/", "--chdir", directory, "--"),
                limits.arguments(true),
                privileges.ownUser() ? privileges.dropArguments(cell) : List.of(),
                command);
    }

    private Set<Path> parentDirectories(WorkerIsolationSpec cell) {
        Set<Path> parents = new TreeSet<>();
        for (BindMounts.MountEntry entry : bindMounts.entriesFor(cell)) {
            for (Path up = entry.path().getParent(); up != null && up.getNameCount() > 0; up = up.getParent()) {
                parents.add(up);
            }
        }
        return parents;
    }

    private List<String> userArguments(WorkerIsolationSpec cell) {
        if (privileges.ownUser()) {
            return List.of("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP");
        }
        String user = Integer.toString(PrivilegeDrop.userId(cell));
        return List.of("--unshare-user", "--uid", user, "--gid", user);
    }
}
