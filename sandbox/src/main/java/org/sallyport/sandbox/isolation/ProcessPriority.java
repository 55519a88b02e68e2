package org.sallyport.sandbox.isolation;

import java.util.List;

/** Lowers the CPU priority of new processes with the program {@code nice}, where it exists. */
public final class ProcessPriority {
    private ProcessPriority() {}

    /**
     * Returns a command that runs {@code command} with a lower priority.
     *
     * @param niceness added to that of this process: 0 to 19
     */
    public static List<String> lower(SystemPrograms programs, int niceness, List<String> command) {
        if (niceness == 0) {
            return command;
        }
        return programs.find("nice")
                .map(nice -> CommandLines.concat(List.of(nice.toString(), "-n", Integer.toString(niceness)), command))
                .orElse(command);
    }
}
