package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.List;

/**
 * What isolation is detected for.
 *
 * @param runsAsRoot whether the server is root
 * @param javaHome the JDK that workers run on
 * @param memoryBytes writable memory that a worker may have in all
 * @param probeSpec a cell like those of workers, for trials
 * @param probeCommand a command that reads, loads and connects as a worker does, and ends
 */
public record IsolationEnvironment(
        boolean runsAsRoot, Path javaHome, long memoryBytes, WorkerIsolationSpec probeSpec, List<String> probeCommand) {
    public IsolationEnvironment {
        probeCommand = List.copyOf(probeCommand);
    }
}
