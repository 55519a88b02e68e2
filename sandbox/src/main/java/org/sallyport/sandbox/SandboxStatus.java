package org.sallyport.sandbox;

import java.util.List;

/**
 * Status of a sandbox for health checks and operators.
 *
 * @param mode configured mode: "worker" or "inprocess"
 * @param available whether sessions can start: always in-process; otherwise whether a worker is ready, or, if none is
 *     kept ready, whether the last start of a worker succeeded
 * @param workers live worker processes
 * @param idleWorkers live workers that are ready and not bound to a tenant
 * @param sessions live sessions
 * @param isolation active isolation features of the operating system, such as {@code no-network}; empty in-process
 * @param missingIsolation isolation features that are wanted but not available on this machine
 */
public record SandboxStatus(
        String mode,
        boolean available,
        int workers,
        int idleWorkers,
        int sessions,
        List<String> isolation,
        List<String> missingIsolation) {
    public SandboxStatus {
        isolation = List.copyOf(isolation);
        missingIsolation = List.copyOf(missingIsolation);
    }
}
