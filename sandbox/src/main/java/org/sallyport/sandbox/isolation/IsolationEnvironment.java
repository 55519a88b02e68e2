package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.List;

/**
 * Inputs of the isolation detection.
 *
 * @param runsAsRoot whether the server runs as root
 * @param javaHome the JDK that workers run on
 * @param memoryBytes maximum writable memory of a worker, in bytes
 * @param probeSpec a specification like that of a worker, for probes
 * @param probeCommand a command that reads, loads and connects like a worker, and exits
 */
public record IsolationEnvironment(
        boolean runsAsRoot, Path javaHome, long memoryBytes, WorkerIsolationSpec probeSpec, List<String> probeCommand) {
    public IsolationEnvironment {
        probeCommand = List.copyOf(probeCommand);
    }
}
