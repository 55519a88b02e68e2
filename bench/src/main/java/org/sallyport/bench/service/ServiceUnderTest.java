package org.sallyport.bench.service;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A running service to measure. */
public interface ServiceUnderTest {
    /** Returns the base URL without {@code /api/v1}. */
    URI url();

    /** Returns the API key to send with each request. */
    String key();

    /** Returns the resources that the processes of the service use; empty where the system does not show them. */
    Optional<ServiceResourceUsage> usage();

    /**
     * Returns the bytes of the server's heap after a garbage collection, which this method triggers; empty if no tool
     * is available.
     */
    OptionalLong liveHeap();

    /** Returns the current workers; empty where the system does not show them. */
    List<WorkerProcessHandle> workers();
}
