package org.sallyport.execution;

/** How an author looks into an execution. */
public enum DebugMode {
    NONE,
    /** A debugger may attach. */
    INSPECT,
    /** As {@link #INSPECT}, and the script waits for one. */
    INSPECT_BREAK,
    /** Its computing is sampled and kept as an artifact. */
    PROFILE
}
