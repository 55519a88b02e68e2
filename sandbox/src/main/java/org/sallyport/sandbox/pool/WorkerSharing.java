package org.sallyport.sandbox.pool;

/** Whose sessions may run in one worker. */
public enum WorkerSharing {
    /** One tenant's. */
    TENANT,
    /** One session's alone; the worker is thrown away after it. */
    NONE,
    /** Anyone's: one organisation, one trust. */
    ALL
}
