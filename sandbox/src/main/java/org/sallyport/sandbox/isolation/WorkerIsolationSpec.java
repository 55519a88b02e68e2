package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.List;

/**
 * The resources of one worker outside of its isolation.
 *
 * @param workerNumber distinguishes the workers of one server
 * @param directory an empty directory, its working directory
 * @param socket the socket that the worker connects to
 * @param networkAccess whether it keeps the host's network, so that a debugger can attach
 * @param readableDirectories directories it may read: class files, native libraries
 * @param niceness how much lower its CPU priority is than that of the server: 0 to 19
 */
public record WorkerIsolationSpec(
        long workerNumber,
        Path directory,
        Path socket,
        boolean networkAccess,
        List<Path> readableDirectories,
        int niceness) {
    public WorkerIsolationSpec {
        readableDirectories = List.copyOf(readableDirectories);
    }
}
