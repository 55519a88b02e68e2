package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Runs workers in a session and process group of their own with the program {@code setsid}, and with a lower CPU
 * priority than that of the server. It is the outermost part of each isolation: a session that is created inside of a
 * PID namespace would still leave the first process of the isolation in the process group of the server.
 *
 * @param setsid the program, if it works
 * @param nice the program, if it works
 * @param shell a shell, if there is one
 * @param searchPath directories in which the shell finds programs
 */
record ProcessSession(Optional<Path> setsid, Optional<Path> nice, Optional<Path> shell, String searchPath) {
    /**
     * Arguments: search path, niceness, command. Linux may divide the CPU among sessions before it divides it among the
     * processes of each (autogroup); the niceness of a process then means nothing outside of its session. The kernel
     * accepts one such write of all unprivileged processes in 100 ms.
     */
    private static final String LOWER_SESSION_PRIORITY = """
            PATH=$1 niceness=$2 tries=0
            shift 2
            while [ -w /proc/self/autogroup ] && [ "$tries" -lt 10 ]; do
              { echo "$niceness" > /proc/self/autogroup; } 2>/dev/null && break
              tries=$((tries + 1))
              sleep 0.1 2>/dev/null || sleep 1
            done
            unset PWD OLDPWD
            exec "$@"
            """;

    /** Changes nothing. */
    static final ProcessSession NONE = new ProcessSession(Optional.empty(), Optional.empty(), Optional.empty(), "");

    /** Returns a session by those of these programs that work. */
    static ProcessSession detect(SystemPrograms programs, CommandProbe trial) {
        Optional<Path> shell = programs.find("sh");
        List<String> command =
                shell.map(found -> List.of(found.toString(), "-c", ":")).orElse(List.of());
        return new ProcessSession(
                programs.find("setsid")
                        .filter(setsid -> trial.succeeds(CommandLines.concat(List.of(setsid.toString()), command))),
                programs.find("nice")
                        .filter(nice -> trial.succeeds(ProcessPriority.lower(Optional.of(nice), 1, command))),
                shell,
                programs.searchPath());
    }

    Set<IsolationFeature> features() {
        return setsid.isPresent() ? Set.of(IsolationFeature.OWN_SESSION) : Set.of();
    }

    /**
     * Returns the command that runs {@code command} in a session of its own, in the same process.
     *
     * @param niceness 0 to 19: added to that of this process, and set as that of the session
     */
    List<String> wrapCommand(int niceness, List<String> command) {
        List<String> inSession = setsid.map(program ->
                        CommandLines.concat(List.of(program.toString()), lowerSessionPriority(niceness), command))
                .orElse(command);
        return ProcessPriority.lower(nice, niceness, inSession);
    }

    private List<String> lowerSessionPriority(int niceness) {
        return shell.filter(found -> niceness > 0)
                .map(found -> List.of(
                        found.toString(), "-c", LOWER_SESSION_PRIORITY, "sh", searchPath, Integer.toString(niceness)))
                .orElse(List.of());
    }
}
