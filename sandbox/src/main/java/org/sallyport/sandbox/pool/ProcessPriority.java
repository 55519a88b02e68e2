package org.sallyport.sandbox.pool;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Lowers the CPU priority of new processes with the program {@code nice}, where it exists. */
final class ProcessPriority {
    static final Path NICE = Path.of("/usr/bin/nice");

    private ProcessPriority() {}

    /**
     * Returns a command that runs {@code command} with a lower priority.
     *
     * @param niceness added to that of this process: 0 to 19
     */
    static List<String> lower(int niceness, List<String> command) {
        if (niceness == 0 || !Files.isExecutable(NICE)) {
            return command;
        }
        List<String> lowered = new ArrayList<>(List.of(NICE.toString(), "-n", Integer.toString(niceness)));
        lowered.addAll(command);
        return lowered;
    }
}
