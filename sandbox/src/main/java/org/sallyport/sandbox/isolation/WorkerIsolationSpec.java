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
 */
public record WorkerIsolationSpec(
        long workerNumber, Path directory, Path socket, boolean networkAccess, List<Path> readableDirectories) {
    public WorkerIsolationSpec {
        readableDirectories = List.copyOf(readableDirectories);
    }
}
