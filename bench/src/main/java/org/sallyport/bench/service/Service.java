package org.sallyport.bench.service;

import java.net.URI;
import java.util.Optional;

/** A service that runs and can be measured. */
public interface Service {
    /** Where it answers, without {@code /api/v1}. */
    URI url();

    /** The key to send with each request. */
    String key();

    /** What its processes have used so far; nothing where the system does not show it. */
    Optional<Usage> usage();
}
