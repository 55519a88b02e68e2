package org.sallyport.sandbox;

import java.util.List;

/**
 * What health checks and operators see of a sandbox.
 *
 * @param mode as it is configured: "worker" or "inprocess"
 * @param workers worker processes alive
 * @param idleWorkers of these, ready and without a tenant
 * @param sessions live sessions
 * @param isolation means of the operating system in use, such as {@code no-network}; empty in-process
 * @param missingIsolation means wanted but not available here
 */
public record SandboxStatus(
        String mode,
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
