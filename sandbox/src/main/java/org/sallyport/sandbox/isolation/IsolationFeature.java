package org.sallyport.sandbox.isolation;

import java.util.Locale;

/** What an operating system can do to keep a process apart. Named in health checks by {@link #displayName}. */
public enum IsolationFeature {
    /** A network of its own in which there is nothing. */
    NO_NETWORK,
    /**
     * A user of its own: another uid for each worker when the server is root; else a user namespace of its own, whose
     * only user is mapped, together with {@link #OWN_FILES} and {@link #OWN_PROCESSES} so that being the same user
     * outside gives nothing.
     */
    OWN_USER,
    /** No process but its own to signal or trace; with {@link #OWN_FILES}, none to see either. */
    OWN_PROCESSES,
    /** System V IPC, POSIX queues, host and domain name of its own. */
    OWN_IPC,
    /** Neither privileges nor capabilities, and no program that gives any. */
    NO_NEW_PRIVILEGES,
    /** Bounds for threads, descriptors, memory, files written and core dumps. */
    RESOURCE_LIMITS,
    /** A read-only file system with nothing but the JDK, system libraries, class files and one socket. */
    OWN_FILES;

    /** As people read it, such as {@code no-network}. */
    public String displayName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
