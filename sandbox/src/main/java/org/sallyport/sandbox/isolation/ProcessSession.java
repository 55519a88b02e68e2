package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Runs workers in a session and process group of their own with the program {@code setsid}, and with a lower CPU
 * priority than that of the server. It is the outermost part of each isolation: a session that is created inside of a
 * PID namespace would still leave the first process of the isolation in the process group of the server.
 *
 * @param programs contains {@code setsid}, {@code nice} and {@code sh}, as far as they exist
 */
record ProcessSession(SystemPrograms programs) {
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
              sleep 0.1
            done
            unset PWD OLDPWD
            exec "$@"
            """;

    Set<IsolationFeature> features() {
        return setsid().isPresent() ? EnumSet.of(IsolationFeature.OWN_SESSION) : EnumSet.noneOf(IsolationFeature.class);
    }

    /**
     * Returns the command that runs {@code command} in a session of its own, in the same process.
     *
     * @param niceness added to that of this process: 0 to 19
     */
    List<String> wrapCommand(int niceness, List<String> command) {
        return ProcessPriority.lower(programs, niceness, inSession(niceness, command));
    }

    private List<String> inSession(int niceness, List<String> command) {
        Optional<Path> setsid = setsid();
        if (setsid.isEmpty()) {
            return command;
        }
        Optional<Path> shell = programs.find("sh");
        List<String> lowered = niceness > 0 && shell.isPresent()
                ? List.of(
                        shell.get().toString(),
                        "-c",
                        LOWER_SESSION_PRIORITY,
                        "sh",
                        programs.searchPath(),
                        Integer.toString(niceness))
                : List.of();
        return CommandLines.concat(List.of(setsid.get().toString()), lowered, command);
    }

    private Optional<Path> setsid() {
        return programs.find("setsid");
    }
}
