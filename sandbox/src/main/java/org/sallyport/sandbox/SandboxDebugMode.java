package org.sallyport.sandbox;

/** Debug mode of a session. Use it for trusted authors only: a debugger can run any code in the context. */
public enum SandboxDebugMode {
    NONE,
    /** A debugger may attach at any time. */
    INSPECT,
    /** Like {@link #INSPECT}; in addition, the script waits at its first statement until a debugger attaches. */
    INSPECT_BREAK,
    /** The CPU time of the script is sampled. */
    PROFILE
}
