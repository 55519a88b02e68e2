package org.sallyport.connector.http;

import java.util.List;
import java.util.Map;

/**
 * An interface that can be called.
 *
 * @param base what every path is below
 * @param credentials what each request shows
 * @param operations by name
 */
record Site(String base, List<Credential> credentials, Map<String, Operation> operations) {
    Site {
        credentials = List.copyOf(credentials);
        operations = Map.copyOf(operations);
    }

    /** Finds the interface; may ask for its description. */
    interface Finder {
        Site find(Exchange exchange) throws java.io.IOException;
    }
}
