package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Lowers the CPU priority of new processes with the program {@code nice}, where it exists. */
public final class ProcessPriority {
    private ProcessPriority() {}

    /**
     * Returns a command that runs {@code command} with a lower priority.
     *
     * @param niceness added to that of this process: 0 to 19
     */
    public static List<String> lower(SystemPrograms programs, int niceness, List<String> command) {
        return lower(programs.find("nice"), niceness, command);
    }

    static List<String> lower(Optional<Path> program, int niceness, List<String> command) {
        return program.filter(found -> niceness > 0)
                .map(nice -> CommandLines.concat(List.of(nice.toString(), "-n", Integer.toString(niceness)), command))
                .orElse(command);
    }
}
