package org.sallyport.execution;

/** On whose side a failure lies; from it follow the log level and whether trying again can help. */
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
