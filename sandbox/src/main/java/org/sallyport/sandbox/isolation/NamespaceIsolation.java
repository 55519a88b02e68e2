package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The first strategy: {@code unshare} creates namespaces, a shell mounts a read-only root in them, and {@code setpriv}
 * drops the remaining privileges. Provides all features but the own session. Processes inside cannot create namespaces
 * of their own, since their root is not that of their mount namespace.
 */
final class NamespaceIsolation implements IsolationStrategy {
    /** Arguments: search path, root, entries as type, path and target, two dashes, command. */
    private static final String SETUP_SCRIPT = """
            set -eu
            umask 022
            PATH=$1 root=$2
            shift 2
            mount -t tmpfs -o size=1m,nr_inodes=4k,mode=0755,nosuid,nodev,noexec none "$root"
            cd "$root"
            while [ "$1" != -- ]; do
              case $1 in
                DIRECTORY)
                  [ -d ".$2" ] || mkdir -p ".$2"
                  mount -o bind,ro,nosuid,nodev "$2" ".$2"
                  [ ! -w ".$2" ] ;;
                FILE)
                  [ -d ".${2%/*}" ] || mkdir -p ".${2%/*}"
                  : > ".$2"
                  mount -o bind,ro,nosuid,nodev "$2" ".$2" ;;
                DEVICE)
                  [ -d ".${2%/*}" ] || mkdir -p ".${2%/*}"
                  : > ".$2"
                  mount -o bind,nosuid,noexec "$2" ".$2" ;;
                LINK)
                  ln -s "$3" ".$2" ;;
              esac
              shift 3
            done
            shift
            mkdir -p proc ".$root"
            mount -t proc -o nosuid,nodev,noexec,subset=pid none proc 2>/dev/null ||
              mount -t proc -o nosuid,nodev,noexec none proc
            echo worker > proc/sys/kernel/hostname 2>/dev/null || :
            mount -o remount,bind,ro,nosuid,nodev,noexec .
            unset PWD OLDPWD
            exec "$@"
            """;

    private final SystemPrograms programs;
    private final Path unshare;
    private final Path shell;
    private final PrivilegeDrop privileges;
    private final ResourceLimits limits;
    private final BindMounts bindMounts;

    NamespaceIsolation(
            SystemPrograms programs,
            Path unshare,
            Path shell,
            PrivilegeDrop privileges,
            ResourceLimits limits,
            BindMounts view) {
        this.programs = programs;
        this.unshare = unshare;
        this.shell = shell;
        this.privileges = privileges;
        this.limits = limits;
        this.bindMounts = view;
    }

    @Override
    public Set<IsolationFeature> features() {
        return EnumSet.complementOf(EnumSet.of(IsolationFeature.OWN_SESSION));
    }

    @Override
    public List<String> wrapCommand(WorkerIsolationSpec cell, List<String> command) {
        String root = cell.directory().toString();
        List<String> entries = new ArrayList<>();
        for (BindMounts.MountEntry entry : bindMounts.entriesFor(cell)) {
            entries.addAll(List.of(entry.type().name(), entry.path().toString(), entry.target()));
        }
        return CommandLines.concat(
                privileges.dieWithParentArguments(),
                List.of(unshare.toString()),
                cell.networkAccess() ? List.of() : List.of("--net"),
                List.of("--pid", "--ipc", "--uts", "--mount"),
                privileges.ownUser() ? List.of() : List.of("--user", "--map-root-user"),
                List.of("--fork", "--kill-child=KILL"),
                limits.arguments(true),
                List.of(shell.toString(), "-c", SETUP_SCRIPT, "sh", programs.searchPath(), root),
                entries,
                List.of("--", unshare.toString(), "--root=" + root, "--wd=" + root),
                privileges.dropArguments(cell),
                command);
    }
}
