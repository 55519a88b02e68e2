package org.sallyport.execution;

import java.util.Optional;

/**
 * Which capabilities may choose where they run. A script in the process of the server can stop the service for all
 * tenants, so only the tenant that operates the installation may choose that.
 *
 * @param runsInProcess whether this installation runs all scripts in the process of the server
 * @param allowsInProcess whether capabilities may run in the process of the server while other scripts run in workers
 * @param operatorTenant the tenant that operates the installation
 */
public record CapabilitySandboxPolicy(boolean runsInProcess, boolean allowsInProcess, String operatorTenant) {
    /** Runs all scripts in workers. */
    public static final CapabilitySandboxPolicy WORKERS_ONLY = new CapabilitySandboxPolicy(false, false, "default");

    /** Returns why a capability of {@code tenant} cannot run in the sandbox that it asks for; empty if it can. */
    public Optional<String> refusalReason(String tenant, Optional<CapabilitySandbox> wanted) {
        if (wanted.filter(CapabilitySandbox.PROCESS::equals).isPresent()) {
            return runsInProcess
                    ? Optional.of("the installation runs all scripts in the process of the server"
                            + " (setting sallyport.sandbox.mode)")
                    : Optional.empty();
        } else if (wanted.isEmpty()) {
            return Optional.empty();
        } else if (!runsInProcess && !allowsInProcess) {
            return Optional.of("the installation runs no capability in the process of the server"
                    + " (setting sallyport.sandbox.allow-in-process-capabilities)");
        }
        return tenant.equals(operatorTenant)
                ? Optional.empty()
                : Optional.of("only capabilities of the tenant that operates the installation may run in the process"
                        + " of the server (setting sallyport.tenants.operator)");
    }

    /** Returns whether a capability of {@code tenant} asks to run in the process of the server, and may. */
    public boolean selectsInProcess(String tenant, Optional<CapabilitySandbox> wanted) {
        return wanted.filter(CapabilitySandbox.IN_PROCESS::equals).isPresent()
                && refusalReason(tenant, wanted).isEmpty();
    }
}
