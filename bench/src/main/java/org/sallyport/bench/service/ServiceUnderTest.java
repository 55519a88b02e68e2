package org.sallyport.bench.service;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A service that runs and can be measured. */
public interface ServiceUnderTest {
    /** Where it answers, without {@code /api/v1}. */
    URI url();

    /** The key to send with each request. */
    String key();

    /** What its processes have used so far; nothing where the system does not show it. */
    Optional<ServiceResourceUsage> usage();

    /** Bytes that the server's heap holds after a collection, which it is made to do; nothing where no tool tells them. */
    OptionalLong liveHeap();

    /** Its workers that are there now; none where the system does not show them. */
    List<WorkerProcessHandle> workers();
}
