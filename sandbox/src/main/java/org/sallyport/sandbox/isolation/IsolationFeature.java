package org.sallyport.sandbox.isolation;

import java.util.Locale;

/** Isolation features of an operating system. Health checks show them by {@link #displayName}. */
public enum IsolationFeature {
    /** A separate network without any interface to the host. */
    NO_NETWORK,
    /**
     * A separate user: if the server is root, a different uid for each worker; else a separate user namespace with a
     * single mapped user, together with {@link #OWN_FILES} and {@link #OWN_PROCESSES}, so that running as the same user
     * outside gives no access.
     */
    OWN_USER,
    /** The worker can signal and trace only its own processes; with {@link #OWN_FILES}, it also sees no others. */
    OWN_PROCESSES,
    /** A separate session and process group: signals to its group do not reach the server; it has no terminal. */
    OWN_SESSION,
    /** Separate System V IPC, POSIX queues, host name and domain name. */
    OWN_IPC,
    /** No privileges, no capabilities, and no way to gain any by running a program. */
    NO_NEW_PRIVILEGES,
    /** Limits of threads, descriptors, memory, written files and core dumps. */
    RESOURCE_LIMITS,
    /**
     * A read-only file system that contains only the JDK, system libraries, class files, a few devices and one socket.
     */
    OWN_FILES;

    /** Returns the name for users, such as {@code no-network}. */
    public String displayName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
