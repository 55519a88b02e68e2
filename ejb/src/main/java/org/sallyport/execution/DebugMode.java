package org.sallyport.execution;

/** How the author of a script debugs an execution. */
public enum DebugMode {
    NONE,
    /** A debugger may attach. */
    INSPECT,
    /** Like {@link #INSPECT}, and the script waits for a debugger. */
    INSPECT_BREAK,
    /** The processor time is sampled, and the profile is stored as an artifact. */
    PROFILE
}
