package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The second way: {@code bwrap} does it all, also where only it is trusted to make user namespaces. Provides
 * everything; a root server's worker gets its own uid inside by {@code setpriv}.
 */
final class Bubble implements Enclosure {
    private final Path bwrap;
    private final Privileges privileges;
    private final ResourceLimits limits;
    private final FileView view;

    /** @param view with {@code setpriv} and {@code prlimit}, which are run inside */
    Bubble(Path bwrap, Privileges privileges, ResourceLimits limits, FileView view) {
        this.bwrap = bwrap;
        this.privileges = privileges;
        this.limits = limits;
        this.view = view;
    }

    @Override
    public Set<Means> means() {
        return EnumSet.allOf(Means.class);
    }

    @Override
    public List<String> around(Cell cell, List<String> command) {
        String directory = cell.directory().toString();
        List<String> shown = new ArrayList<>();
        // Those that it makes by itself are closed to all other users.
        parents(cell).forEach(parent -> shown.addAll(List.of("--dir", parent.toString())));
        for (FileView.Entry entry : view.entries(cell)) {
            String path = entry.path().toString();
            shown.addAll(
                    switch (entry.kind()) {
                        case DIRECTORY, FILE -> List.of("--ro-bind", path, path);
                        case DEVICE -> List.of("--dev-bind", path, path);
                        case LINK -> List.of("--symlink", entry.target(), path);
                    });
        }
        return Lists.joined(
                List.of(bwrap.toString()),
                cell.network() ? List.of() : List.of("--unshare-net"),
                List.of("--unshare-pid", "--unshare-ipc", "--unshare-uts"),
                List.of("--hostname", "worker", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
                users(cell),
                shown,
                List.of("--proc", "/proc", "--dir", directory, "--remount-ro", "/", "--chdir", directory, "--"),
                limits.arguments(true),
                privileges.ownUser() ? privileges.dropping(cell) : List.of(),
                command);
    }

    private Set<Path> parents(Cell cell) {
        Set<Path> parents = new TreeSet<>();
        for (FileView.Entry entry : view.entries(cell)) {
            for (Path up = entry.path().getParent(); up != null && up.getNameCount() > 0; up = up.getParent()) {
                parents.add(up);
            }
        }
        return parents;
    }

    private List<String> users(Cell cell) {
        if (privileges.ownUser()) {
            return List.of("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP");
        }
        String user = Integer.toString(Privileges.user(cell));
        return List.of("--unshare-user", "--uid", user, "--gid", user);
    }
}
