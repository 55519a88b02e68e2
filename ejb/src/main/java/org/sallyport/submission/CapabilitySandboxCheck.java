package org.sallyport.submission;

import java.util.Optional;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.SandboxSettings;
import org.sallyport.execution.CapabilitySandbox;

/** Decides whether this installation runs capabilities in the sandbox that they ask for. Thread-safe. */
public final class CapabilitySandboxCheck {
    private final boolean runsInProcess;
    private final boolean allowsInProcess;

    public CapabilitySandboxCheck(Configuration configuration) {
        runsInProcess = configuration.get(SandboxSettings.MODE).equals("inprocess");
        allowsInProcess = runsInProcess || configuration.get(SandboxSettings.ALLOW_IN_PROCESS_CAPABILITIES);
    }

    /** Returns why a capability cannot run in the sandbox that it asks for; empty if it can. */
    public Optional<String> refusalReason(Optional<CapabilitySandbox> wanted) {
        if (wanted.filter(CapabilitySandbox.IN_PROCESS::equals).isPresent() && !allowsInProcess) {
            return Optional.of("the installation runs no capability in the process of the server (setting "
                    + SandboxSettings.ALLOW_IN_PROCESS_CAPABILITIES.name() + ")");
        } else if (wanted.filter(CapabilitySandbox.PROCESS::equals).isPresent() && runsInProcess) {
            return Optional.of("the installation runs all scripts in the process of the server (setting "
                    + SandboxSettings.MODE.name() + ")");
        }
        return Optional.empty();
    }
}
