package org.sallyport.it.security;

/** Attacks on a service in the shipped mode, which runs scripts in worker processes. */
class HostileScriptsIT extends HostileScripts {
    HostileScriptsIT() {
        super(SandboxMode.WORKER);
    }
}
