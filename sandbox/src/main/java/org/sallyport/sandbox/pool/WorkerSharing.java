package org.sallyport.sandbox.pool;

/** Defines which sessions may share a worker. */
public enum WorkerSharing {
    /** Sessions of one tenant. */
    TENANT,
    /** No sharing: one session only; the worker is discarded after it. */
    NONE,
    /** Sessions of all tenants: for one organization whose tenants trust each other. */
    ALL
}
