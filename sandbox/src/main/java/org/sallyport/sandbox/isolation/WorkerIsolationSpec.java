package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.List;

/**
 * What one worker needs of the outside.
 *
 * @param workerNumber tells workers of one server apart
 * @param directory an empty directory, its working directory
 * @param socket the socket it comes to
 * @param networkAccess whether it keeps the host's network, for a debugger to come to
 * @param readableDirectories directories it reads: class files, native libraries
 */
public record WorkerIsolationSpec(
        long workerNumber, Path directory, Path socket, boolean networkAccess, List<Path> readableDirectories) {
    public WorkerIsolationSpec {
        readableDirectories = List.copyOf(readableDirectories);
    }
}
