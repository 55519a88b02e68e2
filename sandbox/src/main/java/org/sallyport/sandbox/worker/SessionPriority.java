package org.sallyport.sandbox.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Lowers the CPU priority of the session of this process, if the process leads one. Linux may divide the CPU among
 * sessions before it divides it among the processes of each (autogroup). The niceness of a process then means nothing
 * outside of its session, so that a worker with a session of its own would get as much CPU time as the server.
 */
final class SessionPriority {
    // Fields of proc/PID/stat after the name of the program.
    private static final int SESSION = 3;
    private static final int NICENESS = 16;

    private SessionPriority() {}

    /** Sets the niceness of the session to that of this process. Does nothing where that is not possible. */
    static void lower() {
        lower(Path.of("/proc/self"), ProcessHandle.current().pid());
    }

    /**
     * @param directory the directory of this process in proc
     * @param pid the id of this process
     */
    static void lower(Path directory, long pid) {
        try {
            String stat = Files.readString(directory.resolve("stat"));
            List<String> fields =
                    List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
            Path group = directory.resolve("autogroup");
            if (Files.exists(group) && fields.get(SESSION).equals(Long.toString(pid))) {
                Files.writeString(group, fields.get(NICENESS));
            }
        } catch (IOException | RuntimeException notSupported) {
            // The niceness of the process still counts within its session.
        }
    }
}
