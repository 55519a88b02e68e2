package org.sallyport.it.security;

/** Attacks on a service that runs scripts in its own process. */
class HostileScriptsInProcessIT extends HostileScripts {
    HostileScriptsInProcessIT() {
        super(SandboxMode.INPROCESS);
    }
}
