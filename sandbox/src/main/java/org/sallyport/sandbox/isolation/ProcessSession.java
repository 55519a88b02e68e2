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
              sleep 0.1 2>/dev/null || sleep 1
            done
            unset PWD OLDPWD
            exec "$@"
            """;

    /** Changes nothing. */
    static final ProcessSession NONE = new ProcessSession(new SystemPrograms(""));

    /** Returns a session by these programs if they work, otherwise {@link #NONE}. */
    static ProcessSession detect(SystemPrograms programs, CommandProbe trial) {
        ProcessSession session = new ProcessSession(programs);
        return programs.find("sh")
                .filter(shell -> trial.succeeds(session.wrapCommand(1, List.of(shell.toString(), "-c", ":"))))
                .map(works -> session)
                .orElse(NONE);
    }

    Set<IsolationFeature> features() {
        return leader().isPresent() ? EnumSet.of(IsolationFeature.OWN_SESSION) : EnumSet.noneOf(IsolationFeature.class);
    }

    /**
     * Returns the command that runs {@code command} in a session of its own, in the same process.
     *
     * @param niceness 0 to 19: added to that of this process, and set as that of the session
     */
    List<String> wrapCommand(int niceness, List<String> command) {
        List<String> inSession =
                leader().map(leader -> leader.wrapCommand(niceness, command)).orElse(command);
        return ProcessPriority.lower(programs, niceness, inSession);
    }

    private Optional<SessionLeader> leader() {
        return programs.find("setsid")
                .flatMap(setsid -> programs.find("sh").map(shell -> new SessionLeader(setsid, shell, programs)));
    }

    private record SessionLeader(Path setsid, Path shell, SystemPrograms programs) {
        List<String> wrapCommand(int niceness, List<String> command) {
            List<String> lowered = List.of(
                    shell.toString(),
                    "-c",
                    LOWER_SESSION_PRIORITY,
                    "sh",
                    programs.searchPath(),
                    Integer.toString(niceness));
            return CommandLines.concat(List.of(setsid.toString()), niceness > 0 ? lowered : List.of(), command);
        }
    }
}
