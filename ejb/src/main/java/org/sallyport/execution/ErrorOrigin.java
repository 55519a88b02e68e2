package org.sallyport.execution;

/** Origin of a failure; it determines the log level and whether a retry can help. */
public enum ErrorOrigin {
    /** The script or its author. */
    SCRIPT,
    /** A tool or its backend. */
    TOOL,
    /** A limit of the execution. */
    LIMIT,
    /** The service. */
    INTERNAL
}
