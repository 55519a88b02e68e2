package org.sallyport.sandbox;

/** How a session is looked into. Only for authors one trusts: a debugger can do in the context whatever it likes. */
public enum SandboxDebugMode {
    NONE,
    /** A debugger may attach at any time. */
    INSPECT,
    /** As {@link #INSPECT}, and the script waits at its first statement for one. */
    INSPECT_BREAK,
    /** The script's computing is sampled. */
    PROFILE
}
